import { expect, test } from 'vitest';
import { EngineError, type EngineErrorKind } from '../../../runner-core/docker/docker-engine.ts';
import { createFailure, startFailure } from '../../../runner-core/worker/start-failure.ts';

const RUNC =
  'OCI runtime create failed: container_linux.go:380: starting container process caused: ';
const said = (message: string, kind: EngineErrorKind, statusCode: number | null): EngineError =>
  new EngineError({ kind, statusCode }, message);

const starts: readonly (readonly [string, string, number])[] = [
  [
    `${RUNC}exec: "/bin/bash": stat /bin/bash: no such file or directory: unknown`,
    'command_not_found',
    127,
  ],
  [`${RUNC}exec: "bash": executable file not found in $PATH: unknown`, 'command_not_found', 127],
  [`${RUNC}exec: "/etc": permission denied: unknown`, 'not_executable', 126],
  [`${RUNC}exec /bin/bash: exec format error`, 'not_executable', 126],
  [
    `${RUNC}process_linux.go: error mounting "/gone": no such file or directory`,
    'start_refused',
    125,
  ],
  ['driver failed programming external connectivity', 'start_refused', 125],
];
test.for(starts)('a start refused with "%s" is %s', ([message, code, exitCode]) => {
  const failure = startFailure(said(message, 'bad_request', 400), 'an/image');
  expect(failure).toEqual({
    reason: { code, facts: { image: 'an/image', detail: message } },
    exitCode,
  });
});

const creates: readonly (readonly [string, EngineError, string, number])[] = [
  ['no such image', said('No such image: an/image:latest', 'not_found', 404), 'image_missing', 0],
  [
    'a bad mount',
    said('invalid volume specification: x', 'bad_request', 400),
    'create_refused',
    125,
  ],
  ['an engine that is away', said('ECONNREFUSED', 'away', null), 'docker_unavailable', 0],
  [
    'an engine that hangs',
    said('no answer within 60000 ms', 'timeout', null),
    'docker_unavailable',
    0,
  ],
];
test.for(creates)('a create refused for %s', ([, error, code, exitCode]) => {
  expect(createFailure(error, 'an/image')).toMatchObject({ reason: { code }, exitCode });
});
