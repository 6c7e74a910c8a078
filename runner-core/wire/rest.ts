/**
 * The REST calls a runner makes with its owner's token: register or resume.
 * Response schemas read only what a runner needs and take null or nothing where the service does.
 */
import * as z from 'zod';
import type { HostExecAdvertisement } from './frames.ts';

export const REGISTER_PATH = '/api/v1/runners/register';

/**
 * Body of the register call. Resuming (`runner_id`) mints a new token and ends the old one at once;
 * what is left out then is withdrawn, so every field is always sent. Lists are never null.
 */
export interface RegisterRequest {
  /** At most 200 characters. */
  readonly name: string;
  /** At most 255 characters. */
  readonly hostname: string;
  /** `linux`, `darwin`, `windows`. */
  readonly os: string;
  /** `amd64`, `arm64`. */
  readonly arch: string;
  /** Replaces the stored labels unless empty. */
  readonly labels: readonly string[];
  /** Slots, 1 to 32. */
  readonly concurrency: number;
  readonly host_exec_profiles: readonly HostExecAdvertisement[];
  readonly runner_id?: string;
  readonly ephemeral?: true;
}

const textOrNone = z.string().nullish();
const countOrNone = z.number().int().nullish();

/** A row of the runner list; also the body of `GET /runners/{id}`. */
export const runnerRowSchema = z.object({
  id: z.string().min(1),
  name: z.string(),
  hostname: textOrNone,
  labels: z.array(z.string()).nullish(),
  status: textOrNone,
  last_heartbeat: textOrNone,
  ephemeral: z.boolean().nullish(),
  concurrency: countOrNone,
  reported_concurrency: countOrNone,
  capacity: countOrNone,
  running_count: countOrNone,
  running_execution_ids: z.array(z.string()).nullish(),
});

/** Answer to register, resume and token rotation: the row and the only copy of its new token. */
export const registerResponseSchema = runnerRowSchema.extend({ token: z.string().min(1) });
