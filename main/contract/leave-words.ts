/** What becomes of held jobs where a runner ends and leaves them: containers go on, local commands cannot. Pure. */
import type { SlotView } from './views.ts';

/** Held jobs by what runs them. */
export interface HeldKinds {
  readonly containers: number;
  readonly commands: number;
}

export function heldKinds(held: readonly Pick<SlotView, 'profile'>[]): HeldKinds {
  const commands = held.filter(({ profile }) => profile !== null).length;
  return { containers: held.length - commands, commands };
}

/** Whole sentences; with at least one job held. */
export function leaveWords({ containers, commands }: HeldKinds): string {
  if (commands === 0)
    return containers === 1
      ? 'Its container goes on, and the next start takes it up again. No line is lost.'
      : 'Their containers go on, and the next start takes them up again. No line is lost.';
  const stopped =
    commands === 1
      ? '1 local command cannot go on alone: it is stopped, and Preloop is told so.'
      : `${commands} local commands cannot go on alone: they are stopped, and Preloop is told so.`;
  if (containers === 0) return stopped;
  const goesOn =
    containers === 1
      ? '1 container goes on, and the next start takes it up again without losing a line.'
      : `${containers} containers go on, and the next start takes them up again without losing a line.`;
  return `${goesOn} ${stopped}`;
}
