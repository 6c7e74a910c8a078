/** The one place where everything is constructed, in reading order, and closed in reverse. */
import { openKeyFileBox } from '../runner-core/sealing/key-file-box.ts';
import { EngineLeftoverRemover } from '../runner-core/docker/leftover-remover.ts';
import { endpointProbe } from '../runner-core/docker/endpoint-probe.ts';
import type { EngineChoice } from '../runner-core/docker/docker-endpoint.ts';
import { Listener, type HeldJob, type StopHow } from '../runner-core/listener/listener.ts';
import { toJobId, type JobId } from '../runner-core/model/ids.ts';
import type { SessionState } from '../runner-core/model/session-state.ts';
import type { StoredJob } from '../runner-core/ports.ts';
import { newId } from '../runner-core/system.ts';
import { WebSocketControlPlane } from './control-plane/websocket-control-plane.ts';
import type { RequestHandlers } from './api/page-source.ts';
import type { HostConfig } from './config.ts';
import type { OverviewView } from './contract/views.ts';
import { openDataDir, type DataDir } from './data-dir.ts';
import { EmbeddedPlane } from './embedded-plane.ts';
import { HostIdentity, thisMachine } from './host-identity.ts';
import { HostLog } from './log.ts';
import { PageApi } from './page-api.ts';
import type { Platform } from './platform.ts';
import { openCredentialVault } from './secrets/credential-vault.ts';
import { EngineWatch } from './services/engine-watch.ts';
import { Enrolment } from './services/enrolment.ts';
import { Housekeeping } from './services/housekeeping.ts';
import { openSettingsFile } from './settings-file.ts';
import { openDatabase } from './store/database.ts';
import { SettingsStore } from './store/settings-store.ts';
import { openJobStore, type SqliteJobStore } from './store/sqlite-job-store.ts';

const PLANE_PORT_SETTING = 'plane_port';
/** Identity on the embedded plane is kept by this name, since its address may change. */
const EMBEDDED_KEY = 'embedded';

/** What a shell may show; each is read anew after a change. */
export interface HostView {
  readonly session: SessionState;
  readonly engine: EngineChoice | null;
  /** Why there is no identity, and what the owner can do; null when there is one. */
  readonly enrolment: { readonly problem: string; readonly remedy: string } | null;
  /** Why settings.yaml as it is now is not in force; null when it is. */
  readonly settingsProblem: string | null;
  readonly held: readonly HeldJob[];
  readonly concurrency: number;
}

export type HostChange =
  | { readonly kind: 'session' | 'engine' | 'enrolment' }
  | { readonly kind: 'job'; readonly jobId: JobId };

export interface Host {
  readonly dataDir: string;
  readonly serverUrl: string;
  /** Null where a service is configured. */
  readonly plane: EmbeddedPlane | null;
  view(): HostView;
  job(jobId: JobId): StoredJob | undefined;
  watch(show: (change: HostChange) => void): void;
  readonly page: {
    /** `http://127.0.0.1:PORT`. */
    readonly origin: string;
    /** The port that was wished for, where somebody else has it. */
    readonly takenPort: number | null;
  };
  /** `http://127.0.0.1:PORT/#code=…`; the code is good once, for a minute. */
  signInUrl(): string;
  overview(): OverviewView;
  /** Shows it at once and after each change, four times a second at most. The result ends it. */
  watchOverview(show: (view: OverviewView) => void): () => void;
  /** All that the page can ask for. */
  readonly requests: RequestHandlers;
  pause(): void;
  resume(): void;
  goOffline(): void;
  goOnline(): void;
  /** False for a job that is not held (any more). */
  stopJob(jobId: string): boolean;
  /** After sleep: check the session now. */
  wake(): void;
  /** Idempotent; `stop` overrides a `drain` under way. */
  stop(how: StopHow): Promise<void>;
}

/** Everything opened so far, closed in reverse; each step's failure is logged and does not stop the rest. */
class Closers {
  readonly #steps: { readonly name: string; readonly close: () => unknown }[] = [];

  add(name: string, close: () => unknown): void {
    this.#steps.unshift({ name, close });
  }

  async closeAll(log: HostLog): Promise<void> {
    for (const { name, close } of this.#steps.splice(0)) {
      try {
        await close();
      } catch (error) {
        log.error('closing failed', { step: name, error });
      }
    }
  }
}

/**
 * Opens the data folder (throws AlreadyRunningError, DataDirUnusableError and what the store throws),
 * starts the plane where no service is configured, and starts the listener. Enrolling goes on in the
 * background: a service that is away does not keep the host from starting.
 */
export async function createHost(platform: Platform, config: HostConfig): Promise<Host> {
  const dataDir = openDataDir(config.dataDir ?? platform.defaultDataDir);
  const log = new HostLog({ path: dataDir.hostLog, clock: platform.clock });
  const closers = new Closers();
  try {
    return await compose(platform, config, dataDir, log, closers);
  } catch (error) {
    await closers.closeAll(log);
    await log.close();
    dataDir.release();
    throw error;
  }
}

async function compose(
  platform: Platform,
  config: HostConfig,
  dataDir: DataDir,
  log: HostLog,
  closers: Closers,
): Promise<Host> {
  const { clock, random } = platform;
  const database = openDatabase(dataDir.database);
  closers.add('database', () => database.close());
  const store = openJobStore(database, { logsDir: dataDir.logsDir, log }, clock.nowMs());
  closers.add('store', () => store.close());
  const facts = new SettingsStore(database);
  const settings = openSettingsFile(dataDir.settings, log);
  const vault = openCredentialVault(dataDir.credentials, await openKeyFileBox(dataDir.sealKey));
  for (const token of vault.tokens()) log.hide(token);
  const launcher = platform.launcher(log);
  closers.add('launcher', () => launcher.stop());
  launcher.warm();

  const changes = new Set<(change: HostChange) => void>();
  const tell = (change: HostChange): void => {
    for (const show of changes) show(change);
  };

  const engines = new EngineWatch({
    ...platform,
    probe: endpointProbe(clock),
    log,
    changed: () => tell({ kind: 'engine' }),
  });
  closers.add('engine watch', () => engines.stop());
  // Known before the session opens, so that the first jobs offered need not wait for the next heartbeat.
  await engines.look();

  const plane = config.server === null ? await startPlane(platform, dataDir, facts, log) : null;
  if (plane !== null) closers.add('plane', () => plane.stop());
  const serverUrl = plane?.url ?? config.server ?? '';
  const ownerToken = plane === null ? config.ownerToken : await plane.ownerToken();
  if (ownerToken !== null) log.hide(ownerToken);

  const concurrency = (): number => config.concurrency ?? settings.concurrency();
  let enrolmentProblem: HostView['enrolment'] = null;
  const identity = new HostIdentity({
    enrolment: new Enrolment({ store: facts, vault, log }),
    request: {
      serverKey: plane === null ? serverUrl : EMBEDDED_KEY,
      serverUrl,
      ownerToken,
      name: config.name,
      labels: config.labels,
      concurrency: concurrency(),
      mode: config.enrol,
      machine: thisMachine(),
    },
    clock,
    random,
    tried: (problem) => {
      enrolmentProblem = problem;
      tell({ kind: 'enrolment' });
    },
  });
  closers.add('identity', () => identity.stop());

  const parts = { clock, store, settings, serverUrl, identity: () => identity.current };
  const listener = new Listener({
    ...parts,
    random,
    log,
    controlPlane: new WebSocketControlPlane({ serverUrl, clock, log }),
    launcher,
    remover: new EngineLeftoverRemover(() => engines.address(), clock),
    concurrency,
    engine: () => engines.address(),
    hostInstance: facts.hostInstance(newId),
    workspacesDir: dataDir.workspacesDir,
  });
  listener.onChange((change) => {
    if (change.kind === 'job') lookForEngineAfter(store, change.jobId, engines);
    tell(change.kind === 'job' ? change : { kind: 'session' });
  });
  // Before the start: what an earlier host left in the engine is found by whose it is.
  const isKnown = identity.recall();
  await listener.start();
  const housekeeping = new Housekeeping({
    clock,
    log,
    workspacesDir: dataDir.workspacesDir,
    held: () => new Set(listener.held().map(({ job }) => job.spec.jobId)),
  });
  closers.add('housekeeping', () => housekeeping.stop());
  housekeeping.start();
  const page = await PageApi.start({
    ...parts,
    log,
    dataDir: dataDir.root,
    pageDir: platform.pageDir,
    port: config.port,
    facts,
    listener,
    engines,
    plane: plane === null || ownerToken === null ? null : { plane, ownerToken },
    slots: concurrency,
    name: config.name,
    enrolment: () => enrolmentProblem,
  });
  closers.add('page', () => page.stop());
  changes.add((change) => page.changed(change));
  if (!isKnown) void enrol(identity, listener, log);

  let stopped: Promise<void> | null = null;
  const end = async (how: StopHow): Promise<void> => {
    await listener.stop(how);
    await closers.closeAll(log);
    await log.close();
    dataDir.release();
  };
  return {
    dataDir: dataDir.root,
    serverUrl,
    plane,
    view: () => ({
      session: listener.session,
      engine: engines.choice,
      enrolment: enrolmentProblem,
      settingsProblem: settings.problem()?.message ?? null,
      held: listener.held(),
      concurrency: concurrency(),
    }),
    job: (jobId) => store.job(jobId),
    watch: (show) => void changes.add(show),
    page,
    signInUrl: () => page.signInUrl(),
    overview: () => page.overview(),
    watchOverview: (show) => page.watchOverview(show),
    requests: page.requests,
    pause: () => void page.requests['host.pause']({}),
    resume: () => void page.requests['host.resume']({}),
    goOffline: () => void page.requests['host.offline']({}),
    goOnline: () => void page.requests['host.online']({}),
    stopJob: (text) => {
      const jobId = toJobId(text);
      return jobId !== undefined && listener.stopJob(jobId, 'owner');
    },
    wake: () => listener.redial(),
    stop: (how) => {
      // A second call may ask for a harder way; the listener decides.
      if (stopped !== null) void listener.stop(how);
      stopped ??= end(how);
      return stopped;
    },
  };
}

async function startPlane(
  platform: Platform,
  dataDir: DataDir,
  facts: SettingsStore,
  log: HostLog,
): Promise<EmbeddedPlane> {
  const lastPort = Number(facts.get(PLANE_PORT_SETTING) ?? Number.NaN);
  const plane = await EmbeddedPlane.start({
    entry: platform.planeEntry,
    start: platform.startPlane,
    dataDir: dataDir.planeDir,
    port: Number.isInteger(lastPort) ? lastPort : null,
    clock: platform.clock,
    log,
  });
  facts.set(PLANE_PORT_SETTING, String(plane.port));
  return plane;
}

/** Never rejects but for a disk that refuses. */
async function enrol(identity: HostIdentity, listener: Listener, log: HostLog): Promise<void> {
  if (!(await identity.obtain())) return;
  const token = identity.current?.token;
  if (token !== undefined) log.hide(token);
  listener.retry();
}

/** A job that met no engine is the sign to look for one. */
function lookForEngineAfter(store: SqliteJobStore, jobId: JobId, engines: EngineWatch): void {
  const state = store.job(jobId)?.state;
  if (state?.kind === 'reporting' && state.verdict.reason?.code === 'docker_unavailable') {
    void engines.look();
  }
}
