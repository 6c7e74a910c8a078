/** Asks a program one short question: its first words within a time, and nothing of it is left afterwards. */
import type { Clock } from '../ports.ts';
import { JOB_VARIABLE } from '../host-exec/environment.ts';
import { newId } from '../system.ts';
import { endStarted, startGroup, type GroupOrder } from './process-group.ts';

export interface Asked {
  /** What it said on both outputs, the beginning of it. */
  readonly said: string;
  /** Null: it was ended, or did not start. */
  readonly exitCode: number | null;
}

const MOST_CHARS = 65_536;

/** Never rejects. Its input is the null device; what it leaves behind is ended with it. */
export async function askCommand(
  clock: Clock,
  order: GroupOrder,
  limitMs: number,
  signal: AbortSignal,
): Promise<Asked> {
  const tag = { variable: JOB_VARIABLE, value: newId() };
  const environment = { ...order.environment, [tag.variable]: tag.value };
  const isStopped = (): boolean => signal.aborted;
  if (isStopped()) return { said: '', exitCode: null };
  let group;
  try {
    group = await startGroup({ ...order, environment });
  } catch {
    return { said: '', exitCode: null };
  }
  let said = '';
  for (const pipe of [group.stdout, group.stderr])
    pipe
      .setEncoding('utf8')
      .on('data', (text: string) => (said = (said + text).slice(0, MOST_CHARS)))
      .on('error', () => undefined);
  const { promise: cut, resolve } = Promise.withResolvers<null>();
  const limit = clock.after(limitMs, () => resolve(null));
  const stop = (): void => resolve(null);
  signal.addEventListener('abort', stop, { once: true });
  if (isStopped()) stop();
  const closed = Promise.all(
    [group.stdout, group.stderr].map((pipe) => new Promise((done) => pipe.once('close', done))),
  );
  const exit = await Promise.race([group.exited, cut]);
  limit.cancel();
  signal.removeEventListener('abort', stop);
  await endStarted(clock, group, tag);
  // All that could hold the pipes is dead, but for a stranger, who is not waited for.
  const patience = clock.after(250, () => {
    for (const pipe of [group.stdout, group.stderr]) pipe.destroy();
  });
  await closed;
  patience.cancel();
  return { said, exitCode: exit?.code ?? null };
}
