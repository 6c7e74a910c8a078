/**
 * One local command of the owner's, from nothing to nothing: everything is looked at first, the directory is made
 * last, the command is started when no other is starting, and what it started is gone before the verdict is told.
 */
import { buildArguments, promptProblem } from '../host-exec/arguments.ts';
import { deadlineSeconds, timerMs } from '../host-exec/deadline.ts';
import { jobEnvironment, JOB_VARIABLE } from '../host-exec/environment.ts';
import { EventReader } from '../host-exec/event-reader.ts';
import type { ObservedEvents } from '../host-exec/events.ts';
import { judge, type HostEnd, type StartProblem } from '../host-exec/verdict.ts';
import type { Leftover } from '../model/leftover.ts';
import type { Clock } from '../ports.ts';
import {
  endAll,
  endStarted,
  startGroup,
  type GroupOrder,
  type OwnedTag,
  type StartedGroup,
} from '../process/process-group.ts';
import { GroupGuard } from '../process/group-guard.ts';
import { startMark } from '../process/process-table.ts';
import type { Ending, HostOrder, JobReport } from './executor.ts';
import { codeOf, makeDirectory, planDirectory, removeFresh } from './host-directory.ts';
import { HostLog } from './host-log.ts';
import { HostRun, type HostRunEnd } from './host-run.ts';
import { commandLine, resolveHere } from './host-command.ts';
import { START_WINDOW_MS, startsAgain } from './host-start.ts';
import { maskedEnd, maskedVerdict } from './masked-verdict.ts';
import { NO_FACTS, type FromWorker, type RunFacts } from './protocol.ts';
import { SecretMask, secretsOf } from './secret-mask.ts';
import { abortable } from './abortable.ts';
import { StoppedError, type StopSwitch } from './stop-switch.ts';

/** From SIGTERM to SIGKILL; within the time a stopped worker has in all. */
export const HOST_GRACE_MS = 5_000;

export interface HostExecDeps {
  readonly clock: Clock;
  readonly send: (message: FromWorker) => void;
  readonly stop: StopSwitch;
  readonly report: JobReport;
}

type EndFacts = Pick<
  HostEnd,
  'ending' | 'startProblem' | 'exitCode' | 'signal' | 'observed' | 'stderrTail'
>;

/** A step before the command's start was refused; carried to the end of the job. */
class NotStartedError extends Error {
  readonly problem: StartProblem;
  constructor(problem: StartProblem) {
    super(problem.code);
    this.problem = problem;
  }
}

export class HostExecExecutor {
  readonly #deps: HostExecDeps;
  readonly #order: HostOrder;
  readonly #mask: SecretMask;
  readonly #log: HostLog;
  readonly #tag: OwnedTag;
  #directory: string | null = null;
  #facts: RunFacts = NO_FACTS;
  #group: StartedGroup | null = null;
  /** For a worker that is killed; there before the first start. */
  #guard: GroupGuard | null = null;
  #leaveTurn: () => void = () => undefined;

  constructor(deps: HostExecDeps, order: HostOrder) {
    this.#deps = deps;
    this.#order = order;
    const { environment, logBytes, profile } = order.context;
    this.#mask = new SecretMask(secretsOf(environment, profile.passEnv));
    this.#log = new HostLog({
      clock: deps.clock,
      mask: this.#mask,
      maxLogBytes: logBytes,
      emit: (message) => deps.send(message),
    });
    this.#tag = { variable: JOB_VARIABLE, value: order.spec.jobId.toLowerCase() };
  }

  /** Resolves with the ending of every job, good or bad; a rejection is a bug of ours. */
  async run(): Promise<Ending> {
    const { report, stop } = this.#deps;
    let end: EndFacts;
    try {
      end = await this.#toTheEnd();
    } catch (error) {
      end = notStarted(error);
    } finally {
      this.#leaveTurn();
      if (await this.#endAll()) this.#guard?.stop();
    }
    if (end.ending === 'not_started' && this.#directory !== null)
      await removeFresh(this.#directory);
    await this.#log.allStored();
    report.phase('cleaning');
    const { profile } = this.#order.context;
    const { modelIdentifier } = this.#order.spec;
    const verdict = judge({
      ...maskedEnd(end, this.#mask),
      profile,
      places: this.#places,
      requestedModel: modelIdentifier,
      // Read last: a stop that came while the last of it was ended is a stop.
      stopCause: stop.request?.cause ?? null,
      deadlineSeconds: this.#deadlineSeconds,
      stallSeconds: profile.stallSeconds,
      lingerSeconds: profile.lingerSeconds,
    });
    // Its result is words of ours and names that were masked where they were read.
    const masked = { ...maskedVerdict(verdict, this.#mask), result: verdict.result };
    return { verdict: masked, facts: this.#facts };
  }

  /** Once its ending is on disk. Never rejects. */
  async clear(): Promise<void> {
    await this.#endAll();
    if (this.#directory !== null) await removeFresh(this.#directory);
  }

  /** Nobody is left to report to. What is not started yet never is. */
  async abandon(): Promise<void> {
    this.#deps.stop.stop({ cause: 'shutdown', graceMs: 0 });
    await this.clear();
  }

  stored(throughSeq: number): void {
    this.#log.stored(throughSeq);
  }

  addSecrets(environment: Readonly<Record<string, string>>): void {
    this.#mask.add(secretsOf(environment, this.#order.context.profile.passEnv));
  }

  async #toTheEnd(): Promise<EndFacts> {
    const { report, stop } = this.#deps;
    const { spec, prompt, context } = this.#order;
    const { profile, workspacesDir } = context;
    report.phase('preparing');
    const problem = promptProblem(prompt);
    if (problem !== undefined)
      throw new NotStartedError({
        step: 'arguments',
        code: 'prompt',
        detail: `the prompt ${problem}`,
      });
    const command = await resolveHere(profile, context.environment);
    if ('step' in command) throw new NotStartedError(command);
    const planned = await planDirectory({
      workspaceRoot: profile.workspaceRoot,
      ownRoot: workspacesDir,
      jobId: spec.jobId,
    });
    if (planned.kind === 'problem') {
      // Of a run that a lost database forgot: what is left of it must not go on unseen.
      if (['EEXIST', 'EARLIER_RUN'].includes(planned.problem.code)) await this.#endOrphans();
      throw new NotStartedError(planned.problem);
    }
    const environment = jobEnvironment(
      context.environment,
      profile,
      spec,
      command.directories,
      command.platform,
    );
    const order = (hasTrust: boolean): GroupOrder => {
      const workspace = planned.directory;
      const model = spec.modelIdentifier;
      const own = buildArguments(profile, { workspace, prompt, model, hasTrust });
      const line = commandLine(command, own, environment);
      if ('step' in line) throw new NotStartedError(line);
      return { ...line, cwd: workspace, environment };
    };
    const first = order(true);
    // A stop before this asks for no turn that nobody would give back.
    stop.signal.throwIfAborted();
    this.#leaveTurn = await abortable(report.turnToStart(), stop.signal);
    report.phase('creating');
    await abortable(report.made(this.#leftover(planned.directory, null, null)), stop.signal);
    const refused = await makeDirectory(planned);
    if (refused !== null) throw new NotStartedError(refused);
    this.#directory = planned.directory;
    const end = await this.#runs(planned.directory, first, () => order(false));
    return { ...end, exitCode: end.code, startProblem: null };
  }

  /** One start, or two; one deadline counts for both, and for the wait between them. */
  async #runs(
    directory: string,
    first: GroupOrder,
    withoutTrust: () => GroupOrder,
  ): Promise<HostRunEnd> {
    const { clock, stop } = this.#deps;
    const overAtMs = clock.monotonicMs() + this.#deadlineSeconds * 1_000;
    const leftMs = (): number => Math.max(0, overAtMs - clock.monotonicMs());
    const end = await this.#runOnce(first, directory, leftMs());
    const { argv } = this.#order.context.profile;
    const again = stop.request === undefined ? startsAgain(end, argv) : null;
    if (again === null) return end;
    this.#log.note(again.note);
    const leaveTurn = await this.#turnWithin(leftMs());
    if (leaveTurn === null) return { ...end, ending: 'deadline' };
    this.#leaveTurn = leaveTurn;
    return this.#runOnce(again.withoutTrust ? withoutTrust() : first, directory, leftMs());
  }

  /** Null: the time is over. The turn then comes to nobody, and goes with this worker. */
  async #turnWithin(limitMs: number): Promise<(() => void) | null> {
    const { clock, report, stop } = this.#deps;
    const { promise: over, resolve } = Promise.withResolvers<null>();
    const limit = clock.after(timerMs(limitMs), () => resolve(null));
    try {
      return await abortable(Promise.race([report.turnToStart(), over]), stop.signal);
    } finally {
      limit.cancel();
    }
  }

  async #runOnce(order: GroupOrder, directory: string, deadlineMs: number): Promise<HostRunEnd> {
    const { clock, report, stop } = this.#deps;
    const { profile } = this.#order.context;
    stop.signal.throwIfAborted();
    report.phase('starting');
    const guard = (this.#guard ??= new GroupGuard(this.#tag));
    const group = await startGroup(order).catch((error: unknown) => {
      const code = codeOf(error);
      if (code === null) throw error;
      const detail = 'the system did not start it';
      throw new NotStartedError({ step: 'spawn', code, detail });
    });
    this.#group = group;
    guard.watch(group.pid);
    void group.exited.then(() => guard.watch(group.owned.number));
    const hold = clock.after(START_WINDOW_MS, this.#leaveTurn);
    // From now on nothing may be thrown past the group: the run reads it to its end.
    const run = new HostRun({
      clock,
      group,
      tag: this.#tag,
      reader: new EventReader(this.#mask),
      log: this.#log,
      stop,
      deadlineMs,
      lingerMs: profile.lingerSeconds * 1_000,
      stallMs: profile.stallSeconds * 1_000,
      graceMs: HOST_GRACE_MS,
      started: this.#leaveTurn,
    });
    const ended = run.toTheEnd();
    report.phase('running');
    void this.#noteStarted(group.pid, directory);
    const end = await ended;
    hold.cancel();
    this.#leaveTurn();
    this.#facts = { ...this.#facts, exitCode: end.code };
    return end;
  }

  /** A host that does not note it in time finds it by the tag. */
  async #noteStarted(pid: number, directory: string): Promise<void> {
    const mark = await startMark(pid);
    await this.#deps.report.made(this.#leftover(directory, pid, mark)).catch(() => undefined);
  }

  #leftover(directory: string, pid: number | null, mark: string | null): Leftover {
    return { kind: 'process', name: this.#tag.value, pid, mark, directory };
  }

  get #deadlineSeconds(): number {
    const { spec, context } = this.#order;
    return deadlineSeconds(context.profile, spec.timeoutSeconds, context.timeLimitMs);
  }

  get #places(): readonly string[] {
    const { profile, environment, workspacesDir } = this.#order.context;
    const home = environment['HOME'] ?? environment['USERPROFILE'] ?? '';
    return [home, workspacesDir, profile.workspaceRoot ?? '', this.#directory ?? ''];
  }

  async #endOrphans(): Promise<void> {
    await endAll(this.#deps.clock, { pid: null, mark: null, tag: this.#tag });
  }

  /** False: something does not go. */
  async #endAll(): Promise<boolean> {
    return this.#group === null || endStarted(this.#deps.clock, this.#group, this.#tag);
  }
}

const NOTHING_OBSERVED: ObservedEvents = {
  sessionId: null,
  model: null,
  resultCount: 0,
  terminal: null,
  sawInit: false,
  events: 0,
  backgroundShell: false,
  openToolCalls: 0,
  plainTail: '',
};

function notStarted(error: unknown): EndFacts {
  if (!(error instanceof NotStartedError) && !(error instanceof StoppedError)) throw error;
  return {
    ending: 'not_started',
    startProblem: error instanceof NotStartedError ? error.problem : null,
    exitCode: null,
    signal: null,
    observed: NOTHING_OBSERVED,
    stderrTail: '',
  };
}
