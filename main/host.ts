/** The one place where everything is constructed, in reading order, and closed in reverse. */
import { openKeyFileBox } from '../runner-core/sealing/key-file-box.ts';
import { dockerEngine } from '../runner-core/docker/dockerode-engine.ts';
import { EngineLeftoverRemover } from '../runner-core/docker/leftover-remover.ts';
import { endpointProbe } from '../runner-core/docker/endpoint-probe.ts';
import { Listener, type StopHow } from '../runner-core/listener/listener.ts';
import { toJobId, type JobId } from '../runner-core/model/ids.ts';
import { newId } from '../runner-core/system.ts';
import { shownSkewMs } from './control-plane/clock-skew.ts';
import { recordedHostname } from './control-plane/runner-record.ts';
import { ServiceRoute } from './control-plane/service-route.ts';
import { WebSocketControlPlane } from './control-plane/websocket-control-plane.ts';
import { Closers } from './closers.ts';
import type { HostConfig } from './config.ts';
import { openDataDir, type DataDir } from './data-dir.ts';
import type { Host, HostChange, HostView } from './host-shape.ts';
import { HostIdentity, thisMachine } from './host-identity.ts';
import { keptInstance } from './host-instance.ts';
import { HostLog } from './log.ts';
import { identityKey, refuseOthersJobs, unsettledOrOne } from './whose-jobs.ts';
import { PageApi } from './page-api.ts';
import type { Platform } from './platform.ts';
import { openCredentialVault } from './secrets/credential-vault.ts';
import { EngineWatch } from './services/engine-watch.ts';
import { Enrolment } from './services/enrolment.ts';
import { composeProjects, dockerJobs, forceEnd } from './services/forced-end.ts';
import { Housekeeping } from './services/housekeeping.ts';
import { LeftoverBook } from './services/leftover-book.ts';
import { openHealth } from './services/health/open-health.ts';
import { Leftovers } from './services/leftovers.ts';
import { openHostCommands } from './services/profiles/open-host-commands.ts';
import { OwnerChoice } from './services/owner-choice.ts';
import { WakeWatch } from './services/wake-watch.ts';
import { Unexpected } from './services/unexpected.ts';
import { startPlane } from './start-plane.ts';
import { openSettingsFile } from './settings-file.ts';
import { TakeOver, type TakenBy } from './services/take-over.ts';
import { StorageWatch } from './services/storage-watch.ts';
import { hostDirectories } from './store/host-directories.ts';
import { openHostStore, storePaths } from './store/host-store.ts';
import { notedLeftovers } from './store/noted-leftovers.ts';
import type { SqliteJobStore } from './store/sqlite-job-store.ts';

/** Long enough for an answer to be on its way to who asked for the end. */
const QUIT_DELAY_MS = 50;
/** Identity on the embedded plane is kept by this name, since its address may change. */
const EMBEDDED_KEY = 'embedded';

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
  const paths = storePaths(dataDir);
  const opened = await openHostStore({ paths, clock, log });
  closers.add('store', () => opened.close());
  const { store, facts } = opened;
  const settings = openSettingsFile(dataDir.settings, log);
  const vault = openCredentialVault(dataDir.credentials, await openKeyFileBox(dataDir.sealKey));
  for (const token of vault.tokens()) log.hide(token);
  const launcher = platform.launcher(log);
  closers.add('launcher', () => launcher.stop());
  const unexpected = new Unexpected({ clock, log, facts });
  const { lastEnd } = unexpected;
  launcher.warm();

  const changes = new Set<(change: HostChange) => void>();
  const tell = (change: HostChange): void => {
    for (const show of changes) show(change);
  };

  const storage = new StorageWatch({
    ...paths,
    ...opened,
    clock,
    log,
    limits: () => settings.disk(),
    localCommandBudgetBytes: () => settings.hostDirectories().budgetBytes,
    changed: () => tell({ kind: 'storage' }),
  });
  closers.add('storage watch', () => storage.stop());
  await storage.look();

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
  const route = new ServiceRoute({
    ...platform,
    log,
    settings: () => settings.network(),
    skewChanged: () => tell({ kind: 'session' }),
  });
  const ephemeral = config.ephemeral === true;
  const serverKey = identityKey(plane === null ? serverUrl : EMBEDDED_KEY, ephemeral);
  refuseOthersJobs(store, { facts, vault }, serverKey, ephemeral);
  let enrolmentProblem: HostView['enrolment'] = null;
  const identity = new HostIdentity({
    enrolment: new Enrolment({ store: facts, vault, log, route }),
    request: {
      serverKey,
      ephemeral,
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

  const hostInstance = keptInstance(facts, dataDir.instance, newId, log);
  const remover = new EngineLeftoverRemover(engines, clock, dockerEngine, () => ({
    hostInstance,
    runnerId: identity.knownRunner,
  }));
  const kept: Leftovers = new Leftovers({
    ...{ clock, log, store, hostInstance, engine: remover },
    book: new LeftoverBook(facts),
    noted: notedLeftovers(opened.database),
    held: () => new Set(listener.held().map(({ job }) => job.spec.jobId)),
    keepFailedMs: () => settings.keepFailedMs(),
    changed: () => tell({ kind: 'leftovers' }),
  });
  const commands: ReturnType<typeof openHostCommands> = openHostCommands({
    ...{ ...platform, log, facts, store, launcher },
    workspacesDir: dataDir.hostWorkspacesDir,
    scratchDir: dataDir.scratchDir,
    changed: () => {
      listener.announce();
      tell({ kind: 'choice' });
    },
    shown: () => tell({ kind: 'profiles' }),
  });
  closers.add('local commands', () => commands.stop());
  const parts = { clock, store, settings, serverUrl, kept, identity: () => identity.current };
  const listener = new Listener({
    ...parts,
    random,
    log,
    controlPlane: new WebSocketControlPlane({ serverUrl, clock, log, route }),
    launcher,
    remover,
    concurrency,
    engine: () => engines.address(),
    engines,
    refusal: () => storage.refusal(),
    engineProblem: () => engines.problem,
    hostInstance,
    knownRunner: () => identity.knownRunner,
    workspacesDir: dataDir.workspacesDir,
    hostCommands: commands.profiles,
    startGate: commands.startGate,
    ephemeral,
  });
  const takeOver = new TakeOver({
    ...{ facts, serverKey, log, ownHostname: thisMachine().hostname },
    ask: async () => {
      const runnerId = identity.current?.runnerId;
      if (runnerId === undefined || ownerToken === null) return null;
      return recordedHostname(route, serverUrl, ownerToken, runnerId);
    },
    changed: () => tell({ kind: 'session' }),
  });
  const takenBy = (): TakenBy | null => takeOver.by;
  listener.onChange((change) => {
    if (change.kind === 'session') takeOver.saw(change.state);
    if (change.kind === 'job') lookForEngineAfter(store, change.jobId, engines);
    if (change.kind === 'job') kept.jobChanged();
    tell(change.kind === 'job' ? change : { kind: 'session' });
  });
  const choice = new OwnerChoice({
    clock,
    log,
    settings: facts,
    listener,
    power: platform.power ?? null,
    changed: () => tell({ kind: 'choice' }),
  });
  closers.add('owner choice', () => choice.stop());
  // Before the start, so that a host that was paused takes nothing in between.
  await choice.start();
  // Before the start: what an earlier host left in the engine is found by whose it is.
  const isKnown = identity.recall();
  // Before the start: a profile whose executable is gone is never told to the service.
  await commands.profiles.look();
  const { refusal } = takeOver;
  await listener.start({ dial: choice.offlineSinceMs === null, refusal });
  changes.add(({ kind }) => {
    if (kind !== 'engine' || engines.address() === null) return;
    listener.engineFound();
    // Another one may hold what was left there.
    kept.jobChanged();
  });
  const housekeeping = new Housekeeping({
    clock,
    log,
    workspacesDir: dataDir.workspacesDir,
    held: () => new Set(listener.held().map(({ job }) => job.spec.jobId)),
    hostDirectories: hostDirectories(opened.database),
    hostLimits: () => settings.hostDirectories(),
    tidy: (jobIds) => storage.tidy(jobIds),
  });
  closers.add('housekeeping', () => housekeeping.stop());
  housekeeping.start();
  closers.add('leftovers', () => kept.stop());
  kept.start();
  const watched = openHealth({
    ...{ ...parts, log, facts, listener, engines, storage, route, choice, plane, tell, commands },
    ...{ takenBy, lastEnd },
    database: opened.database,
    databasePath: dataDir.database,
    machineName: config.name ?? thisMachine().hostname,
    enrolment: () => enrolmentProblem,
  });
  closers.add('health', () => watched.stop());
  changes.add((change) => watched.changed(change));
  const page = await PageApi.start({
    ...{ ...parts, ...watched, takenBy, lastEnd },
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
    storage: () => storage.state,
    skew: () => shownSkewMs(route.skew.current),
    choice,
    desk: commands.desk,
    profiles: commands.profiles,
    // In a turn of its own: what asked for it is answered first.
    quit: (how) => void clock.after(QUIT_DELAY_MS, () => (quitAsked ?? host.stop)(how)),
  });
  closers.add('page', () => page.stop());
  changes.add((change) => page.changed(change));
  if (!isKnown) void enrol(identity, listener, choice, log);

  const steer = (act: () => void | Promise<void>): void =>
    void (async () => act())().catch((error: unknown) => log.warn('not carried out', { error }));
  const wake = new WakeWatch({
    clock,
    log,
    woke: () => {
      watched.timeline.note({ kind: 'woke', detail: '' });
      listener.redial();
      steer(() => choice.check());
    },
  });
  closers.add('wake watch', () => wake.stop());
  wake.start();

  let left: number | null = null;
  let stopped: Promise<void> | null = null;
  let isEnding = false;
  const end = async (how: StopHow): Promise<void> => {
    await listener.stop(how);
    left = unsettledOrOne(store);
    if (listener.hasLeft) {
      vault.forget(serverKey);
      facts.forgetIdentity(serverKey);
    }
    await closers.closeAll(log);
    await log.close();
    dataDir.release();
  };
  let quitAsked: ((how: StopHow) => void) | null = null;
  const host: Host = {
    dataDir: dataDir.root,
    serverUrl,
    plane,
    view: () => ({
      session: listener.session,
      engine: engines.choice,
      enrolment: enrolmentProblem,
      takenBy: takeOver.by,
      lastEnd,
      settingsProblem: settings.problem()?.message ?? null,
      storage: storage.state,
      intake: listener.intake,
      get held() {
        return listener.held();
      },
      concurrency: concurrency(),
    }),
    job: (jobId) => store.job(jobId),
    watch: (show) => void changes.add(show),
    page,
    signInUrl: () => page.signInUrl(),
    overview: () => page.overview(),
    watchOverview: (show) => page.watchOverview(show),
    requests: page.requests,
    pause: (wish = {}) => steer(() => choice.takePause(wish)),
    resume: () => steer(() => choice.resume()),
    goOffline: () => steer(() => choice.goOffline()),
    goOnline: () => steer(() => choice.goOnline()),
    stopJob: (text) => {
      const jobId = toJobId(text);
      return jobId !== undefined && listener.stopJob(jobId, 'owner');
    },
    // A terminal that goes away sends SIGCONT with SIGHUP: the session is needed once more, and not anew.
    wake: () => {
      if (!isEnding) wake.told();
    },
    takeNoMore: () => {
      void listener.drain();
      tell({ kind: 'choice' });
    },
    unsettled: () => left ?? store.unsettled().length,
    unexpected: (kind, error) => {
      unexpected[kind](error);
      return log.flush();
    },
    endNow: async () => {
      const stopped = host.stop('stop');
      // Once stopped, the store is closed.
      const held = dockerJobs(left === null ? listener.held() : []);
      const projects = composeProjects(store, held);
      return forceEnd({ clock, engine: remover, hostInstance, held, projects, stopped });
    },
    onQuitAsked: (quit) => void (quitAsked = quit),
    stop: (how) => {
      isEnding ||= how !== 'drain';
      // A second call may ask for a harder way; the listener decides.
      if (stopped !== null) void listener.stop(how);
      stopped ??= end(how);
      return stopped;
    },
  };
  return host;
}

/** Never rejects. */
async function enrol(
  identity: HostIdentity,
  listener: Listener,
  choice: OwnerChoice,
  log: HostLog,
): Promise<void> {
  if (!(await identity.obtain())) return;
  const token = identity.current?.token;
  if (token !== undefined) log.hide(token);
  if (choice.offlineSinceMs === null) listener.retry();
}

/** A job that met no engine is the sign to look for one. */
function lookForEngineAfter(store: SqliteJobStore, jobId: JobId, engines: EngineWatch): void {
  const state = store.job(jobId)?.state;
  if (state?.kind === 'reporting' && state.verdict.reason?.code === 'docker_unavailable') {
    void engines.look();
  }
}
