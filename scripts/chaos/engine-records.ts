/** What the engine says of a run: which containers were started for which execution, and what is left. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import * as z from 'zod';
import { LABEL } from '../../runner-core/docker/labels.ts';

const eventSchema = z.object({
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()) }),
});

export class EngineRecords {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #follower: ChildProcess;
  readonly #starts = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  /** Why starts are no longer counted. */
  #blindness: string | null = null;

  /** @param socket of the engine itself, with nothing between */
  constructor(socket: string) {
    this.#environment = { DOCKER_HOST: `unix://${socket}` };
    const filters = ['type=container', 'event=start', `label=${LABEL.execution}`];
    this.#follower = spawn(
      'docker',
      ['events', '--format', '{{json .}}', ...filters.flatMap((each) => ['--filter', each])],
      { env: { ...process.env, ...this.#environment }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const { stdout } = this.#follower;
    if (stdout === null) throw new Error('docker events has no output');
    createInterface({ input: stdout }).on('line', (line) => {
      const { Actor } = eventSchema.parse(JSON.parse(line));
      const id = Actor.Attributes[LABEL.execution] ?? '';
      this.#starts.set(id, (this.#starts.get(id) ?? 0) + 1);
      for (const look of [...this.#waiting]) look();
    });
    this.#follower.on('exit', (code, signal) => {
      this.#blindness ??= `docker events ended with ${code ?? signal}`;
    });
  }

  /**
   * How often a container was started for an execution, in all.
   *
   * @throws Error when starts can no longer be counted: a number that may be too small proves nothing
   */
  startsOf(executionId: string): number {
    if (this.#blindness !== null) throw new Error(this.#blindness);
    return this.#starts.get(executionId) ?? 0;
  }

  /** Resolves when a container was started for one of them; the list may still grow. */
  firstStart(executionIds: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!executionIds.some((id) => this.#starts.has(id))) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }

  /** Containers and networks that are there for these executions, each with what it is. */
  async leftovers(executionIds: readonly string[]): Promise<readonly string[]> {
    const format = `{{.ID}} {{.Label "${LABEL.execution}"}}`;
    const filter = ['--filter', `label=${LABEL.execution}`, '--format', format];
    const [containers, networks] = await Promise.all([
      this.#docker(['ps', '-a', '--no-trunc', ...filter]),
      this.#docker(['network', 'ls', '--no-trunc', ...filter]),
    ]);
    const left = (kind: string, lines: string): string[] =>
      lines
        .split('\n')
        .filter((line) => executionIds.includes(line.split(' ')[1] ?? ''))
        .map((line) => `${kind} ${line}`);
    return [...left('container', containers), ...left('network', networks)];
  }

  async removeAll(executionIds: readonly string[]): Promise<void> {
    for (const left of await this.leftovers(executionIds)) {
      const [kind, id = ''] = left.split(' ');
      await this.#docker(kind === 'container' ? ['rm', '-fv', id] : ['network', 'rm', id]);
    }
  }

  async stop(): Promise<void> {
    this.#blindness = 'no longer followed';
    if (this.#follower.exitCode !== null) return;
    const gone = once(this.#follower, 'exit');
    this.#follower.kill();
    await gone;
  }

  async #docker(args: readonly string[]): Promise<string> {
    const { stdout } = await execa('docker', args, { env: this.#environment });
    return stdout;
  }
}
