/**
 * *Try it*: a short prompt through the worker of a real job, in a scratch folder and without the service. Owns the one
 * run there is at a time, from its worker to the folder's removal, and what is shown of it.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promptProblem } from '../../../runner-core/host-exec/arguments.ts';
import { jobEnvironment } from '../../../runner-core/host-exec/environment.ts';
import { aliasOf, type HostProfile } from '../../../runner-core/model/host-profile.ts';
import { toJobId } from '../../../runner-core/model/ids.ts';
import type { HostExecSpec } from '../../../runner-core/model/job-spec.ts';
import type { Clock, HostCommands, Log, WorkerLauncher } from '../../../runner-core/ports.ts';
import { newId } from '../../../runner-core/system.ts';
import { HOST_PARENT } from '../../../runner-core/worker/host-directory.ts';
import { TRY_PROMPT_MAX_BYTES } from '../../contract/profile-views.ts';
import type { RequestInput } from '../../contract/requests.ts';
import type { TopicView } from '../../contract/topics.ts';
import { ProblemError } from '../../problem.ts';
import { TryRun } from './try-run.ts';

/** At most; a profile may have less. */
export const TRY_LIMIT_MS = 120_000;
const LOG_BYTES = 32 * 2 ** 20;

export interface ProfileTryDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly launcher: Pick<WorkerLauncher, 'launch'>;
  readonly commands: Pick<HostCommands, 'environment' | 'platform'>;
  /** Null: there is none that could be run. Throws ProblemError. */
  readonly profile: (name: string) => HostProfile;
  readonly enterTurn: (granted: () => void) => () => void;
  /** Ours alone; made where it is missing, and gone after each run. */
  readonly scratchDir: string;
  readonly changed: () => void;
}

export class ProfileTry {
  readonly #deps: ProfileTryDeps;
  #run: TryRun | null = null;

  constructor(deps: ProfileTryDeps) {
    this.#deps = deps;
  }

  /** The run that goes on, or was the last. */
  get current(): { readonly id: string; readonly name: string; readonly isOver: boolean } | null {
    const run = this.#run;
    return run === null ? null : { id: run.id, name: run.name, isOver: run.isOver };
  }

  /** Its id, at once. Throws ProblemError. */
  start({ name, prompt, model = null }: RequestInput<'profiles.try'>): string {
    if (this.#run?.isOver === false)
      throw new ProblemError(
        'try_running',
        `${this.#run.name} is being tried already.`,
        'Wait for its end, or stop it.',
      );
    const profile = this.#deps.profile(name);
    checkPrompt(prompt);
    if (model !== null && aliasOf(profile, model) === undefined)
      throw new ProblemError(
        'model_not_mapped',
        `The profile ${profile.name} has no model ${model}.`,
        'Choose one of its models, or none.',
        'model',
      );
    const { clock, log, launcher, commands, enterTurn, scratchDir, changed } = this.#deps;
    const spec = specOf(profile, model);
    const run = new TryRun({
      clock,
      log,
      enterTurn,
      changed,
      limitMs: Math.min(TRY_LIMIT_MS, profile.timeoutSeconds * 1_000 || TRY_LIMIT_MS),
      worker: launcher.launch(),
      order: {
        kind: 'run_host',
        spec,
        prompt,
        context: {
          // A scratch folder, whatever the profile names.
          profile: { ...profile, workspaceRoot: null },
          environment: jobEnvironment(commands.environment(), profile, spec, [], commands.platform),
          workspacesDir: scratchDir,
          timeLimitMs: TRY_LIMIT_MS,
          logBytes: LOG_BYTES,
        },
      },
      cleanUp: () =>
        rm(join(scratchDir, HOST_PARENT, spec.jobId), {
          recursive: true,
          force: true,
          maxRetries: 3,
        }),
    });
    this.#run = run;
    void run.toTheEnd();
    changed();
    return run.id;
  }

  /** Idempotent. Throws ProblemError for another run than the one that was started last. */
  stop(id: string): void {
    if (this.#run?.id !== id)
      throw new ProblemError('unknown_try', 'There is no such run any more.');
    this.#run.stop();
  }

  view(id: string): TopicView<'profile_try'> {
    return this.#run?.id === id ? this.#run.view() : null;
  }

  /** Resolves when nothing of it is left. */
  async close(): Promise<void> {
    await this.#run?.close();
  }
}

function checkPrompt(prompt: string): void {
  const problem =
    prompt.trim() === ''
      ? 'is empty'
      : Buffer.byteLength(prompt) > TRY_PROMPT_MAX_BYTES
        ? `is longer than ${TRY_PROMPT_MAX_BYTES} bytes`
        : promptProblem(prompt);
  if (problem !== undefined)
    throw new ProblemError(
      'bad_prompt',
      `The prompt ${problem}.`,
      'Write a short question.',
      'prompt',
    );
}

function specOf(profile: HostProfile, model: string | null): HostExecSpec {
  const jobId = toJobId(newId());
  if (jobId === undefined) throw new Error('a new id is no id');
  return {
    kind: 'host_exec',
    jobId,
    flowId: null,
    flowName: null,
    agentType: 'cursor',
    repository: null,
    modelIdentifier: model,
    report: { kind: 'host_exec', profile: profile.name },
    profileName: profile.name,
    timeoutSeconds: TRY_LIMIT_MS / 1_000,
  };
}
