/** Profiles, observations and leases as the tests of host execution need them. */
import { EventReader } from '../../../runner-core/host-exec/event-reader.ts';
import type { ObservedEvents } from '../../../runner-core/host-exec/events.ts';
import type { HostEnd } from '../../../runner-core/host-exec/verdict.ts';
import type { HostProfile } from '../../../runner-core/model/host-profile.ts';
import type { JsonObject } from '../../../runner-core/model/json.ts';
import { SecretMask } from '../../../runner-core/worker/secret-mask.ts';

export const HOST_JOB_ID = '0f0f0f0f-0000-4000-8000-0000000000e1';

export function hostProfile(changes: Partial<HostProfile> = {}): HostProfile {
  return {
    name: 'Cursor-Review',
    executable: 'cursor-agent',
    argv: [],
    workspaceRoot: null,
    timeoutSeconds: 0,
    forceWrites: false,
    modelMap: { 'house/fast': 'composer-2.5', 'house/deep': 'gpt-5' },
    passEnv: [],
    trustWorkspace: true,
    lingerSeconds: 20,
    lingeredIsSuccess: false,
    stallSeconds: 0,
    ...changes,
  };
}

export const INIT = {
  type: 'system',
  subtype: 'init',
  session_id: 's-1',
  model: 'Composer 2.5',
  apiKeySource: 'login',
};
export const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 5210,
  result: 'Done.',
  session_id: 's-1',
  request_id: 'r-1',
  usage: { inputTokens: 11, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 0 },
};

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
export const line = (event: unknown): string => `${JSON.stringify(event)}\n`;

/** What a reader makes of an output that came in one piece. */
export function observe(output: string, secrets: readonly string[] = []): ObservedEvents {
  const reader = new EventReader(new SecretMask(secrets));
  reader.push(bytesOf(output));
  reader.end();
  return reader.observed;
}

export function hostEnd(output: string, changes: Partial<HostEnd> = {}): HostEnd {
  return {
    profile: hostProfile(),
    requestedModel: null,
    stopCause: null,
    ending: 'exited',
    startProblem: null,
    exitCode: 0,
    signal: null,
    observed: observe(output),
    stderrTail: '',
    deadlineSeconds: 60,
    stallSeconds: 30,
    lingerSeconds: 20,
    ...changes,
  };
}

export function hostLease(changes: JsonObject = {}): JsonObject {
  return {
    execution_id: HOST_JOB_ID,
    flow_id: '11111111-1111-4111-8111-111111111111',
    agent_type: 'cursor',
    completion_protocol: 'host_exec',
    host_exec_profile: 'cursor-review',
    prompt: 'Review the change',
    ...changes,
  };
}
