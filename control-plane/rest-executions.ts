/** The REST routes of executions, their logs and flows. */
import * as z from 'zod';
import { readPublicDefinition } from './definitions.ts';
import { executionResponse } from './execution-response.ts';
import { HttpProblem } from './http-problem.ts';
import { logLineId } from './identifiers.ts';
import { isoInstant, isoNaive } from './instants.ts';
import { transact, type PlaneParts } from './plane-parts.ts';
import { ok, queryInteger, type RestReply, type Route } from './rest-router.ts';
import { stopExecution } from './stops.ts';
import type { ListedExecution } from './store/execution-table.ts';
import { readDefinition, readSubmission } from './submission.ts';
import { defineFlow, submit } from './submitting.ts';

const MAX_LOG_LINES = 10_000;
const commandSchema = z.object({ command: z.literal('stop') });
const page = { skip: { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER } };

export function executionRoutes(parts: PlaneParts): readonly Route[] {
  const base = '/api/v1/flows/executions';
  return [
    { method: 'POST', path: base, handle: ({ body }) => postExecution(parts, body) },
    { method: 'GET', path: base, handle: ({ query }) => listExecutions(parts, query) },
    {
      method: 'GET',
      path: `${base}/{execution_id}`,
      handle: ({ ids }) => ok(executionResponse(known(parts, ids))),
    },
    {
      method: 'GET',
      path: `${base}/{execution_id}/logs`,
      handle: ({ ids, query }) => getLogs(parts, ids, query),
    },
    {
      method: 'POST',
      path: `${base}/{execution_id}/command`,
      handle: ({ ids, body }) => postCommand(parts, ids, body),
    },
    {
      method: 'GET',
      path: '/api/v1/flows/{flow_id}',
      handle: ({ ids }) => flowReply(parts, ids[0] ?? ''),
    },
    {
      method: 'PUT',
      path: '/api/v1/flows/{flow_id}',
      handle: ({ ids, body }) => putFlow(parts, ids[0] ?? '', body),
    },
  ];
}

function postExecution(parts: PlaneParts, body: unknown): RestReply {
  const given = readSubmission(body);
  const id = transact(parts, (effects) => submit(parts, given, effects));
  return { status: 201, body: executionResponse(known(parts, [id])) };
}

function listExecutions(parts: PlaneParts, query: URLSearchParams): RestReply {
  const skip = queryInteger(query, 'skip', page.skip);
  const limit = queryInteger(query, 'limit', { fallback: 100, min: 0, max: 1_000 });
  return ok(parts.store.executions.page(skip, limit).map(executionResponse));
}

/** Pages forward: ask again with `next_after_seq` until `lines` comes back empty. */
function getLogs(parts: PlaneParts, ids: readonly string[], query: URLSearchParams): RestReply {
  const execution = known(parts, ids);
  const afterSeq = queryInteger(query, 'after_seq', page.skip);
  const limit = queryInteger(query, 'limit', { fallback: 1_000, min: 1, max: MAX_LOG_LINES });
  const lines = parts.store.logs.lines(execution.no, afterSeq, limit);
  return ok({
    execution_id: execution.id,
    log_line_count: execution.lines_stored,
    next_after_seq: lines.at(-1)?.seq ?? afterSeq,
    lines: lines.map((line) => ({
      seq: line.seq,
      id: logLineId(execution.id, line.batchId, line.index),
      at: isoInstant(line.storedAtMs),
      line: line.text,
    })),
  });
}

function postCommand(parts: PlaneParts, ids: readonly string[], body: unknown): RestReply {
  const execution = known(parts, ids);
  commandSchema.parse(body);
  const stopped = transact(parts, (effects) => stopExecution(parts, execution, effects));
  if (!stopped) return ok({ status: 'not_running', execution_status: execution.status });
  return ok({ status: 'stopped' });
}

function putFlow(parts: PlaneParts, flowId: string, body: unknown): RestReply {
  const { name, definition } = readDefinition(body);
  transact(parts, () => defineFlow(parts, flowId, name, definition));
  return flowReply(parts, flowId);
}

function flowReply(parts: PlaneParts, flowId: string): RestReply {
  const flow = parts.store.flows.get(flowId);
  const definition = flow && parts.store.flows.definition(flow.definition_id);
  if (flow === undefined || definition === undefined) throw new HttpProblem(404, 'Flow not found');
  return ok({
    id: flow.id,
    name: flow.name,
    revision: flow.revision,
    definition: readPublicDefinition(definition.body),
    created_at: isoNaive(flow.created_at_ms),
    updated_at: isoNaive(flow.updated_at_ms),
  });
}

function known(parts: PlaneParts, ids: readonly string[]): ListedExecution {
  const execution = parts.store.executions.listed(ids[0] ?? '');
  if (execution === undefined) throw new HttpProblem(404, 'Flow execution not found');
  return execution;
}
