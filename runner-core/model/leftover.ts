/** What a worker makes outside itself: noted before it starts, removed when its job is over. */
import * as z from 'zod';

export const leftoverSchema = z.discriminatedUnion('kind', [
  /** `id` is the engine's 64-hex id, `name` ours. */
  z.strictObject({ kind: z.literal('container'), id: z.string().min(1), name: z.string().min(1) }),
  /** A network we created because a job named it; removed once no container uses it. */
  z.strictObject({ kind: z.literal('network'), id: z.string().min(1), name: z.string().min(1) }),
  /** What a job started through an allowed Docker socket, by its compose project label. */
  z.strictObject({ kind: z.literal('compose_project'), name: z.string().min(1) }),
  /**
   * A local command with all it started, which carry `name` (the job's id) in their environment. Noted before its start
   * without `pid`, and once more with it. `mark` tells it from a later process with that number. Its directory goes
   * where nothing was left in it.
   */
  z.strictObject({
    kind: z.literal('process'),
    name: z.string().min(1),
    pid: z.number().int().positive().nullable(),
    mark: z.string().nullable(),
    directory: z.string().min(1),
  }),
]);
export type Leftover = z.infer<typeof leftoverSchema>;

/** The newest container of a job's leftovers, oldest first: one before it was given up by its own worker. */
export function newestContainer(
  leftovers: readonly Leftover[],
): (Leftover & { readonly kind: 'container' }) | undefined {
  return leftovers.findLast((leftover) => leftover.kind === 'container');
}
