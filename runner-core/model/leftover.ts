/** What a worker makes outside itself: noted before it starts, removed when its job is over. */
import * as z from 'zod';

/** Which engine: its own id, null where it gives none that lasts; and its address, as people are shown it. */
export const engineIdentitySchema = z.strictObject({ id: z.string().nullable(), at: z.string() });
export type EngineIdentity = z.infer<typeof engineIdentitySchema>;

/** Where it was made. Left out of older notes, which are taken to be of the engine in use. */
const engine = engineIdentitySchema.optional();
const text = z.string().min(1);

export const leftoverSchema = z.discriminatedUnion('kind', [
  /** `id` is the engine's 64-hex id, `name` ours. */
  z.strictObject({ kind: z.literal('container'), id: text, name: text, engine }),
  /** A network we created because a job named it; removed once no container uses it. */
  z.strictObject({ kind: z.literal('network'), id: text, name: text, engine }),
  /** What a job started through an allowed Docker socket, by its compose project label. */
  z.strictObject({ kind: z.literal('compose_project'), name: text, engine }),
  /**
   * A local command with all it started, which carry `name` (the job's id) in their environment. Noted before its start
   * without `pid`, and once more with it. `mark` tells it from a later process with that number. Its directory goes
   * where nothing was left in it.
   */
  z.strictObject({
    kind: z.literal('process'),
    name: text,
    pid: z.number().int().positive().nullable(),
    mark: z.string().nullable(),
    directory: text,
  }),
]);
export type Leftover = z.infer<typeof leftoverSchema>;
/** What lies in an engine, rather than on this machine itself. */
export type EngineLeftover = Exclude<Leftover, { kind: 'process' }>;

/** Undefined of what is in none, and of older notes. */
export function engineOf(leftover: Leftover): EngineIdentity | undefined {
  return leftover.kind === 'process' ? undefined : leftover.engine;
}

/** False only where a thing is known to be in another engine than `here`, which then cannot tell whether it is gone. */
export function isHere(made: EngineIdentity | undefined, here: EngineIdentity): boolean {
  if (made === undefined) return true;
  return made.id === null ? made.at === here.at : made.id === here.id;
}

/** The newest container of a job's leftovers, oldest first: one before it was given up by its own worker. */
export function newestContainer(
  leftovers: readonly Leftover[],
): (Leftover & { readonly kind: 'container' }) | undefined {
  return leftovers.findLast((leftover) => leftover.kind === 'container');
}
