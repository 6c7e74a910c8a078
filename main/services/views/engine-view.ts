/** The Docker engine in use, or why there is none, for the page. Pure. */
import type { EngineView } from '../../contract/views.ts';
import type { EngineChoice } from '../../../runner-core/docker/engine-choice.ts';

export function engineView(choice: EngineChoice | null): EngineView {
  if (choice === null)
    return { kind: 'looking', version: null, reason: 'Looking for Docker.', remedy: null };
  if (choice.ok) {
    const { version } = choice.engine;
    return { kind: 'ready', version, reason: `Found by ${choice.why}.`, remedy: null };
  }
  const { kind, reason, remedy } = choice.failure;
  return { kind, version: null, reason, remedy };
}
