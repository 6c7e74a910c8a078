/**
 * The local API of one host, put together: what it shows, what it does, who may use it, and what makes it look
 * anew. Owns everything between the engine's parts and the listening socket.
 */
import { hostname } from 'node:os';
import { dockerEngine } from '../runner-core/docker/dockerode-engine.ts';
import type { Listener, StopHow } from '../runner-core/listener/listener.ts';
import type { JobId } from '../runner-core/model/ids.ts';
import { occupiesSlot } from '../runner-core/model/job-machine.ts';
import type { Clock, Log, RunnerIdentity } from '../runner-core/ports.ts';
import { removeAccessFiles, writeAccessFiles } from './api/access-files.ts';
import { LocalApi } from './api/http-server.ts';
import type { RequestHandlers } from './api/page-source.ts';
import { SignIn } from './api/sign-in.ts';
import { Subjects } from './api/subjects.ts';
import { ValueFeed } from './api/topic-feed.ts';
import { PlaneClient } from './cli/plane-client.ts';
import type { OverviewView } from './contract/views.ts';
import type { EmbeddedPlane } from './embedded-plane.ts';
import type { ChangeKind } from './host-shape.ts';
import type { EngineWatch } from './services/engine-watch.ts';
import type { HostProfiles } from './services/host-profiles.ts';
import { ConversationShelf } from './services/profiles/conversation-shelf.ts';
import type { ProfileDesk } from './services/profiles/profile-desk.ts';
import type { Leftovers } from './services/leftovers.ts';
import type { Health } from './services/health/health.ts';
import type { Timeline } from './services/timeline/timeline.ts';
import { hostRequests } from './services/host-requests.ts';
import { HostViews } from './services/host-views.ts';
import type { OwnerChoice } from './services/owner-choice.ts';
import type { TakenBy } from './services/take-over.ts';
import type { UnexpectedEnd } from './services/unexpected.ts';
import type { StorageState } from './services/views/storage-words.ts';
import { TestJob } from './services/test-job.ts';
import type { SettingsFile } from './settings-file.ts';
import type { SettingsStore } from './store/settings-store.ts';
import type { JobChange, SqliteJobStore } from './store/sqlite-job-store.ts';
import { VERSION } from './version.ts';

const PORT_SETTING = 'page_port';
const TRAY_INTERVAL_MS = 250;

export interface PageApiDeps {
  readonly clock: Clock;
  readonly log: Log & { hide(secret: string): void };
  readonly dataDir: string;
  readonly pageDir: string;
  /** The owner's wish; null: the port of the last start, or any. */
  readonly port: number | null;
  readonly facts: SettingsStore;
  readonly store: SqliteJobStore;
  readonly settings: SettingsFile;
  readonly listener: Listener;
  readonly engines: EngineWatch;
  readonly plane: { readonly plane: EmbeddedPlane; readonly ownerToken: string } | null;
  readonly serverUrl: string;
  readonly slots: () => number;
  readonly name: string | null;
  readonly identity: () => RunnerIdentity | null;
  /** What the owner is told of the clocks; null for nothing. */
  readonly skew: () => number | null;
  readonly enrolment: () => { readonly problem: string; readonly remedy: string } | null;
  readonly takenBy: () => TakenBy | null;
  readonly lastEnd: UnexpectedEnd | null;
  readonly choice: OwnerChoice;
  readonly storage: () => StorageState;
  readonly kept: Leftovers;
  readonly profiles: HostProfiles;
  readonly desk: ProfileDesk;
  readonly health: Health;
  readonly timeline: Timeline;
  readonly quit: (how: StopHow) => void;
}

/** What changed that the store does not tell of. */
export type PageChange =
  { readonly kind: ChangeKind } | { readonly kind: 'job'; readonly jobId: JobId };

export class PageApi {
  readonly requests: RequestHandlers;
  readonly #deps: PageApiDeps;
  readonly #subjects = new Subjects();
  readonly #views: HostViews;
  readonly #testJob: TestJob;
  readonly #conversations: ConversationShelf;
  readonly #signIn: SignIn;
  #api: LocalApi | null = null;
  #unwatch: () => void = () => undefined;

  private constructor(deps: PageApiDeps) {
    this.#deps = deps;
    const { clock, log, engines, plane, facts } = deps;
    this.#signIn = new SignIn({ clock, settings: facts });
    this.#testJob = new TestJob({
      log,
      configured: () => deps.settings.testImage(),
      engine: () => {
        const address = engines.address();
        return address === null ? null : dockerEngine(address, clock);
      },
      changed: () => this.#subjects.touch('overview'),
    });
    this.#conversations = new ConversationShelf({
      ...deps,
      changed: (jobId) => this.#subjects.touch(`conversation ${jobId}`),
    });
    this.#views = new HostViews({
      ...deps,
      conversations: this.#conversations,
      engine: () => engines.choice,
      machineName: deps.name ?? hostname(),
      version: VERSION,
      server: () => ({ url: plane?.plane.url ?? deps.serverUrl, embedded: plane !== null }),
      testJob: () => (plane === null ? null : this.#testJob.image),
      leftovers: () => deps.kept.view(),
      localCommands: () => deps.profiles.offers().profiles.length,
    });
    this.requests = hostRequests({
      ...deps,
      views: this.#views,
      conversations: this.#conversations,
      testJob: this.#testJob,
      leftovers: deps.kept,
      // Its address may be another after a restart of the plane.
      plane: plane === null ? null : () => new PlaneClient(plane.plane.url, plane.ownerToken),
      subjects: this.#subjects,
      signInUrl: () => this.signInUrl(),
    });
  }

  /** Listens, and leaves what the command line needs in the data folder. */
  static async start(deps: PageApiDeps): Promise<PageApi> {
    const page = new PageApi(deps);
    await page.#start();
    return page;
  }

  get origin(): string {
    return this.#listening.origin;
  }

  get takenPort(): number | null {
    return this.#listening.takenPort;
  }

  signInUrl(): string {
    return this.#listening.signInUrl();
  }

  overview(): OverviewView {
    return this.#views.overview();
  }

  /** Shows it at once and after each change. */
  watchOverview(show: (view: OverviewView) => void): () => void {
    const { clock, log } = this.#deps;
    const feed = new ValueFeed({
      clock,
      intervalMs: TRAY_INTERVAL_MS,
      read: () => {
        show(this.#views.overview());
        return null;
      },
      send: () => Promise.resolve(),
      failed: (error) => log.error('overview not shown', { error }),
    });
    const unwatch = this.#subjects.watch('overview', () => feed.changed());
    return () => {
      unwatch();
      feed.stop();
    };
  }

  /** Something that is not in the store changed. */
  changed(change: PageChange): void {
    if (change.kind === 'session') this.#views.sessionChanged();
    if (change.kind === 'engine') this.#lookForTestImage();
    if (change.kind === 'job') this.#subjects.touch(`job ${change.jobId}`);
    if (change.kind === 'profiles') this.#subjects.touch('profiles', 'profile try');
    else if (change.kind === 'health' || change.kind === 'events')
      this.#subjects.touch(change.kind);
    else this.#subjects.touch('overview');
  }

  async stop(): Promise<void> {
    this.#unwatch();
    this.#conversations.stop();
    await removeAccessFiles(this.#deps.dataDir);
    await this.#api?.stop();
  }

  get #listening(): LocalApi {
    if (this.#api === null) throw new Error('the local API does not listen yet');
    return this.#api;
  }

  async #start(): Promise<void> {
    const { clock, log, pageDir, facts, port, dataDir, store } = this.#deps;
    const last = Number(facts.get(PORT_SETTING) ?? Number.NaN);
    this.#api = await LocalApi.start({
      clock,
      log,
      pageDir,
      signIn: this.#signIn,
      port: port ?? (Number.isInteger(last) ? last : null),
      version: VERSION,
      views: this.#views,
      handlers: this.requests,
      subjects: this.#subjects,
    });
    facts.set(PORT_SETTING, String(this.#api.port));
    const token = this.#signIn.newRunToken();
    log.hide(token);
    writeAccessFiles(dataDir, this.#api.origin, token);
    this.#unwatch = store.watch((change) => this.#stored(change));
    this.#lookForTestImage();
  }

  #stored({ jobId, part }: JobChange): void {
    this.#views.jobsChanged();
    this.#subjects.touch('jobs', 'overview', `job ${jobId}`, `log ${jobId}`);
    this.#subjects.touch(`conversation ${jobId}`);
    if (part === 'job') this.#subjects.touch('profiles');
    // A first job may have brought its image.
    const state = part === 'job' ? this.#deps.store.job(jobId)?.state : undefined;
    if (state !== undefined && !occupiesSlot(state) && !this.#testJob.image.local)
      this.#lookForTestImage();
  }

  #lookForTestImage(): void {
    if (this.#deps.plane !== null) void this.#testJob.look();
  }
}
