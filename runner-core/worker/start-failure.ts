/** Names what an engine's refusal to create or start a container means, with the code Docker itself would exit with. */
import type { EngineError } from '../docker/docker-engine.ts';
import { reason, type Reason } from '../model/reason.ts';

export interface StartFailure {
  readonly reason: Reason;
  /** 125: the engine refused; 126: the command cannot be run; 127: there is no such command; 0: nothing was tried. */
  readonly exitCode: number;
}

const NO_COMMAND =
  /executable file not found|no such file or directory|system cannot find the file specified/i;
const NOT_RUNNABLE = /permission denied|exec format error|is a directory|not a directory/i;

/** True where the engine itself gave no answer. */
export function isEngineAway(error: EngineError): boolean {
  return error.statusCode === null;
}

/** For a failed create. The detail is the engine's text: mask it before it is shown. */
export function createFailure(error: EngineError, image: string): StartFailure {
  const { message: detail } = error;
  if (isEngineAway(error)) return engineAway(detail);
  if (error.kind === 'not_found' && /image/i.test(detail))
    return { reason: reason('image_missing', { image, detail }), exitCode: 0 };
  return { reason: reason('create_refused', { image, detail }), exitCode: 125 };
}

/** For a failed start. A mount that is not there says "no such file" too, but names no exec. */
export function startFailure(error: EngineError, image: string): StartFailure {
  const { message: detail } = error;
  if (isEngineAway(error)) return engineAway(detail);
  const isExec = /\bexec\b/i.test(detail) && !/\bmount/i.test(detail);
  if (isExec && NO_COMMAND.test(detail))
    return { reason: reason('command_not_found', { image, detail }), exitCode: 127 };
  if (isExec && NOT_RUNNABLE.test(detail))
    return { reason: reason('not_executable', { image, detail }), exitCode: 126 };
  return { reason: reason('start_refused', { image, detail }), exitCode: 125 };
}

export function engineAway(detail: string): StartFailure {
  return { reason: reason('docker_unavailable', { detail }), exitCode: 0 };
}
