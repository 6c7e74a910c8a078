/** What the lines of a job's output tell the control plane itself: its pull request, its agent session, a failed setup. */
import { isJsonObject, type JsonObject } from '../runner-core/model/json.ts';
import { MARKER_HINT, readMarker, type JobMarker } from '../runner-core/wire/markers.ts';
import type { PlaneParts } from './plane-parts.ts';
import { normalPullRequestUrl } from './pr-url.ts';
import type { ExecutionRow } from './store/execution-table.ts';

/** The markers in `lines`, which are worth a look only when they hold MARKER_HINT. */
export function markersIn(lines: readonly string[]): readonly JobMarker[] {
  return lines
    .filter((line) => line.includes(MARKER_HINT))
    .map((line) => readMarker(line))
    .filter((marker) => marker !== null);
}

/** Records what is not recorded yet. Repeating the same markers changes nothing. */
export function applyMarkers(
  parts: PlaneParts,
  executionId: string,
  markers: readonly JobMarker[],
): void {
  for (const marker of markers) {
    const execution = parts.store.executions.get(executionId);
    if (execution === undefined) return;
    const changes = changesBy(marker, execution);
    if (changes !== undefined) parts.store.executions.update(executionId, changes);
  }
}

function changesBy(marker: JobMarker, execution: ExecutionRow): Partial<ExecutionRow> | undefined {
  switch (marker.kind) {
    case 'pr_opened':
      return pullRequest(marker, execution);
    case 'agent_session':
      return agentSession(marker, execution);
    case 'setup_failed':
      return { setup_failed: 1 };
    default:
      return undefined;
  }
}

/** The first address wins; the same one said again may only add a branch that was missing. */
function pullRequest(
  marker: JobMarker & { readonly kind: 'pr_opened' },
  execution: ExecutionRow,
): Partial<ExecutionRow> | undefined {
  const result = readResult(execution.result);
  const url = normalPullRequestUrl(marker.url);
  const known = result['pr_url'];
  if (known !== undefined && known !== url) return undefined;
  const addsBranch = marker.branch !== null && result['pr_source_branch'] === undefined;
  if (known !== undefined && !addsBranch) return undefined;
  const branch = addsBranch ? { pr_source_branch: marker.branch } : {};
  return { result: JSON.stringify({ ...result, pr_url: url, ...branch }) };
}

/** Whose form the reader of markers has checked. The first one stays. */
function agentSession(
  marker: JobMarker & { readonly kind: 'agent_session' },
  execution: ExecutionRow,
): Partial<ExecutionRow> | undefined {
  if (execution.cli_session !== null) return undefined;
  const { agentType, sessionId } = marker;
  return { cli_session: JSON.stringify({ agent_type: agentType, session_id: sessionId }) };
}

/** The stored result; an empty object before there is one. */
export function readResult(stored: string | null): JsonObject {
  const value: unknown = stored === null ? {} : JSON.parse(stored);
  return isJsonObject(value) ? value : {};
}
