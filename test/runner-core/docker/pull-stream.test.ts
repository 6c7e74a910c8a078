import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { PullProgress } from '../../../runner-core/docker/docker-engine.ts';
import { readPullStream } from '../../../runner-core/docker/pull-stream.ts';

/** Reads these records cut at every `size` bytes. */
async function read(records: readonly object[], size = 7): Promise<PullProgress[]> {
  const bytes = Buffer.from(records.map((record) => `${JSON.stringify(record)}\r\n`).join(''));
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  const told: PullProgress[] = [];
  await readPullStream(Readable.from(pieces, { objectMode: false }), (now) => told.push(now));
  return told;
}
const layer = (id: string, status: string, current?: number, total?: number): object => ({
  id,
  status,
  progressDetail: current === undefined ? {} : { current, total },
});

test('bytes of all layers are summed, and extracting does not count them again', async () => {
  const told = await read([
    { id: 'latest', status: 'Pulling from library/x' },
    layer('a', 'Downloading', 10, 100),
    layer('b', 'Downloading', 5, 50),
    layer('a', 'Download complete'),
    layer('a', 'Extracting', 1, 100),
    layer('b', 'Pull complete'),
    { status: 'Digest: sha256:0' },
  ]);
  expect(told).toEqual([
    { doneBytes: 10, totalBytes: 100 },
    { doneBytes: 15, totalBytes: 150 },
    { doneBytes: 105, totalBytes: 150 },
    { doneBytes: 150, totalBytes: 150 },
  ]);
});

const failures: readonly (readonly [string, string])[] = [
  ['manifest for x:1 not found: manifest unknown', 'not_found'],
  [
    "pull access denied for x, repository does not exist or may require 'docker login'",
    'not_found',
  ],
  ['toomanyrequests: You have reached your pull rate limit', 'refused'],
  ['unauthorized: incorrect username or password', 'refused'],
];
test.for(failures)('"%s" inside the stream is %s', async ([message, kind]) => {
  const stream = read([
    layer('a', 'Downloading', 1, 2),
    { errorDetail: { message }, error: message },
  ]);
  await expect(stream).rejects.toMatchObject({ code: 'engine_error', kind, message });
});
