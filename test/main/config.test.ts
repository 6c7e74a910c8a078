import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../main/config.ts';

const NOTHING_GIVEN = {
  dataDir: null,
  server: null,
  ownerToken: null,
  name: null,
  labels: null,
  concurrency: null,
  port: null,
  open: true,
  enrol: null,
  once: false,
  ephemeral: false,
  waitForJobMs: 900_000,
};

test('without flags nothing is set, so that stored choices stay in force', () => {
  expect(parseConfig([], {})).toEqual({ ok: true, config: NOTHING_GIVEN });
});

test('every flag and the token from the environment arrive checked', () => {
  const args =
    '--data-dir /d --server https://h.test/p/ --name n --labels a,b --labels b,c --concurrency 3 --port 99 --no-open --enrol new';
  expect(parseConfig(args.split(' '), { PRELOOP_TOKEN: ' t ' })).toEqual({
    ok: true,
    config: {
      dataDir: '/d',
      server: 'https://h.test/p',
      ownerToken: 't',
      name: 'n',
      labels: ['a', 'b', 'c'],
      concurrency: 3,
      port: 99,
      open: false,
      enrol: 'new',
      once: false,
      ephemeral: false,
      waitForJobMs: 900_000,
    },
  });
});

describe('a flag that cannot be used is named', () => {
  test.each([
    [['--server', 'ftp://h'], '--server'],
    [['--server', 'http://h.test'], '--server'],
    [['--server', 'https://u:p@h.test'], '--server'],
    [['--concurrency', '0'], '--concurrency'],
    [['--concurrency', '33'], '--concurrency'],
    [['--concurrency', '2.5'], '--concurrency'],
    [['--port', '65536'], '--port'],
    [['--port', 'x'], '--port'],
    [['--name', ' '], '--name'],
    [['--enrol', 'maybe'], '--enrol'],
    [['--data-dir', ' '], '--data-dir'],
    [['--wrong'], 'flags'],
    [['loose'], 'flags'],
  ])('%j', (args, flag) => {
    expect(parseConfig(args, {})).toMatchObject({ ok: false, kind: 'invalid', flag });
  });
});
