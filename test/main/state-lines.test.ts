import { expect, test } from 'vitest';
import {
  engineLine,
  intakeLine,
  jobLine,
  lastEndLine,
  leftFolder,
  leftLines,
  sessionLine,
  settingsLine,
  submitLine,
} from '../../main/state-lines.ts';
import { reason } from '../../runner-core/model/reason.ts';
import type { StoredJob } from '../../runner-core/ports.ts';
import { failedVerdict } from '../../runner-core/wire/result-report.ts';
import { dockerSpec } from '../support/builders.ts';

function ended(lines: number): StoredJob {
  return {
    spec: dockerSpec(1),
    state: {
      kind: 'reporting',
      sinceMs: 2,
      verdict: failedVerdict(reason('exit_nonzero', { exitCode: '3' })),
    },
    acceptedAtMs: 0,
    startedAtMs: 1,
    endedAtMs: 2,
    lines,
    chunks: 0,
    bytes: 0,
    batchSalt: '5f0c2a348d1e4b7a9c',
    batches: 0,
    batchesAcknowledged: 0,
    linesAcknowledged: 0,
    cursor: null,
    markers: [],
    told: null,
  };
}

test.each([
  [0, 'failed: The job failed with exit code 3.'],
  [1, 'failed, 1 line: The job failed with exit code 3.'],
  [2, 'failed, 2 lines: The job failed with exit code 3.'],
])('a job that failed after %d lines says so, why, and what to do', (lines, words) => {
  expect(jobLine(ended(lines))).toMatch(/^Job {6}[0-9a-f]{8} failed/);
  expect(jobLine(ended(lines))).toContain(
    `${words} Look at the end of the log for the first failure.`,
  );
});

test.each([
  [null, 'npx preloop-host submit job.yaml --wait'],
  ['/tmp/data', 'npx preloop-host submit job.yaml --wait --data-dir /tmp/data'],
  ["/a b's", "npx preloop-host submit job.yaml --wait --data-dir '/a b'\\''s'"],
])('a host with the data folder %j is reached by a command that can be pasted', (dir, command) => {
  expect(submitLine(dir)).toBe(`Submit   ${command}`);
});

test('the line of the engine says how it was found, or what to do', () => {
  const address = { kind: 'socket', path: '/s' } as const;
  const engine = { version: '20.10.24', apiVersion: '1.41', os: 'linux', arch: 'amd64' };
  const why = 'the socket of Docker';
  expect(engineLine({ ok: true, address, engine, identity: { id: null, at: '/s' }, why })).toBe(
    'Docker   20.10.24 through the socket of Docker',
  );
  const failure = { kind: 'not_running', reason: 'None runs.', remedy: 'Start it.', where: null };
  expect(engineLine({ ok: false, failure: { ...failure, kind: 'not_running' } })).toBe(
    'Docker   None runs. Start it.',
  );
});

test('a settings file that cannot be used is told with what holds meanwhile, and its mending too', () => {
  expect(settingsLine('/d/settings.yaml, line 2: write a size')).toBe(
    'Settings /d/settings.yaml, line 2: write a size. Until then the last good values stay in force.',
  );
  expect(settingsLine(null)).toBe('Settings in force again');
});

test('a wait for the service counts down in whole seconds and never below none', () => {
  const cause = 'the connection broke off';
  const state = { kind: 'waiting', sinceMs: 0, attempt: 1, cause, retryAtMs: 2_500 } as const;
  const at = (nowMs: number): string => sessionLine(state, 'http://s', nowMs);
  expect(at(1_000)).toBe('Session  offline: the connection broke off; next try in 2 s');
  expect(at(9_000)).toBe('Session  offline: the connection broke off; next try in 0 s');
});

test('a pause is said with its end, and that it is over', () => {
  const said = { tone: 'paused', state: 'Paused until 18:00.', remedy: null } as const;
  const sentence = { ...said, consequence: 'No new job starts.' };
  expect(intakeLine('paused', sentence)).toBe('Jobs     Paused until 18:00. No new job starts.');
  expect(intakeLine('open', sentence)).toBe('Jobs     taken again');
});

test.each([
  [null, 'Another process took over this runner. No jobs'],
  [
    { kind: 'elsewhere', hostname: 'build-box-3' },
    'Another process on build-box-3 took over this runner. No jobs',
  ],
  [{ kind: 'here' }, 'Another process on this machine took over this runner. So Preloop'],
  [
    { kind: 'unknown' },
    'Another process took over this runner. Where it runs cannot be told from here. No jobs',
  ],
] as const)('a runner that was taken over is told with who has it: %j', (takenBy, said) => {
  const state = { kind: 'refused', sinceMs: 0, refusal: 'replaced' } as const;
  expect(sessionLine(state, 'https://p.example', 0, takenBy)).toContain(`Session  ${said}`);
});

test('what a quick end could not remove is named with the command that does it', () => {
  const label = 'ai.preloop.runner-host.host=h';
  const things = [
    { kind: 'container', id: 'c', name: 'preloop-one' },
    { kind: 'network', id: 'n', name: 'net work' },
    { kind: 'compose_project', name: 'stack' },
  ] as const;
  expect(leftLines({ kind: 'left', things, label })).toEqual([
    'Left     container preloop-one; remove it with: docker rm -fv preloop-one',
    "Left     network net work; remove it with: docker network rm 'net work'",
    'Left     compose project stack; remove it with: docker compose -p stack down -v',
  ]);
  expect(leftLines({ kind: 'left', things: null, label })).toEqual([
    `Left     containers that Docker did not tell of; list them with: docker ps -a --filter label=${label}`,
  ]);
  const systems = ['linux', 'win32'] as const;
  expect(systems.map((os) => leftFolder('/tmp/a b', os))).toEqual([
    "Left     folder /tmp/a b; remove it with: rm -rf '/tmp/a b'",
    'Left     folder /tmp/a b; remove it with: rmdir /s /q "/tmp/a b"',
  ]);
});

test('an end by a fault of its own is told with when and what', () => {
  expect(lastEndLine({ atMs: Date.now(), what: 'disk on fire' }, Date.now())).toMatch(
    /^Fault {4}This app ended by a fault of its own at \d\d:\d\d\. Disk on fire\. It runs again/,
  );
});
