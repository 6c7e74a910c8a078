/** What the owner can ask of the host, from the page, the tray or the command line. */
import type { RequestHandlers } from '../api/page-source.ts';
import type { Subjects } from '../api/subjects.ts';
import type { Listener, StopHow } from '../../runner-core/listener/listener.ts';
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import { occupiesSlot } from '../../runner-core/model/job-machine.ts';
import { PlaneRequestError, type PlaneClient } from '../cli/plane-client.ts';
import { ProblemError } from '../problem.ts';
import { SettingsFileError, type SettingsFile } from '../settings-file.ts';
import type { SqliteJobStore } from '../store/sqlite-job-store.ts';
import type { EngineWatch } from './engine-watch.ts';
import type { Health } from './health/health.ts';
import type { HostViews } from './host-views.ts';
import type { HostProfiles } from './host-profiles.ts';
import type { ConversationShelf } from './profiles/conversation-shelf.ts';
import { profileRequests, type ProfileActs } from './profiles/profile-requests.ts';
import type { OwnerChoice } from './owner-choice.ts';
import type { Leftovers } from './leftovers.ts';
import { testJobDefinition, type TestJob } from './test-job.ts';

export interface HostRequestsDeps {
  readonly listener: Pick<Listener, 'stopJob' | 'session' | 'retry'>;
  readonly choice: Pick<OwnerChoice, 'takePause' | 'resume' | 'goOffline' | 'goOnline'>;
  /** Ends the host soon, after the answer is on its way. */
  readonly quit: (how: StopHow) => void;
  readonly store: Pick<SqliteJobStore, 'kept' | 'setPinned'>;
  readonly views: HostViews;
  readonly settings: Pick<SettingsFile, 'allow' | 'revoke'>;
  readonly engines: Pick<EngineWatch, 'look'>;
  readonly testJob: TestJob;
  readonly leftovers: Pick<Leftovers, 'removeKept'>;
  readonly health: Pick<Health, 'run' | 'mute'>;
  readonly profiles: Pick<HostProfiles, 'list'>;
  readonly desk: ProfileActs;
  readonly conversations: Pick<ConversationShelf, 'page'>;
  /** Null where a service is configured: jobs are submitted there. */
  readonly plane: (() => Pick<PlaneClient, 'submit'>) | null;
  readonly subjects: Subjects;
  readonly signInUrl: () => string;
}

const DONE = {};

export function hostRequests(deps: HostRequestsDeps): RequestHandlers {
  const { listener, choice, views, settings, subjects } = deps;
  const steered = (act: () => void): typeof DONE => {
    act();
    return DONE;
  };
  const pinned = (jobId: string, isPinned: boolean): typeof DONE => {
    deps.store.setPinned(knownJob(deps, jobId), isPinned);
    return DONE;
  };
  const permitted = (act: () => void): typeof DONE => {
    try {
      act();
    } catch (error) {
      if (!(error instanceof SettingsFileError)) throw error;
      throw new ProblemError('settings_file', error.message, 'Mend settings.yaml, then try again.');
    }
    subjects.touch('permissions', 'overview');
    // Whether a job wants the permission has changed with it.
    subjects.touchAll((subject) => subject.startsWith('job '));
    return DONE;
  };
  return {
    'jobs.page': (input) => views.jobsPage(input),
    'log.page': ({ jobId, fromRecord, limit }) => {
      knownJob(deps, jobId);
      const { records, nextRecord } = views.log(jobId, fromRecord, limit).view;
      return { records, nextRecord };
    },
    'job.stop': ({ jobId }) => {
      if (!listener.stopJob(knownJob(deps, jobId), 'owner'))
        throw new ProblemError('not_running', 'The job has ended already.');
      return DONE;
    },
    'job.pin': ({ jobId }) => pinned(jobId, true),
    'job.unpin': ({ jobId }) => pinned(jobId, false),
    'job.run_again': ({ jobId }) => runAgain(deps, jobId),
    'job.submit': ({ definition }) => submit(deps, definition),
    'job.test': async () => {
      onlyHere(deps);
      const { image } = await deps.testJob.look();
      return submit(deps, testJobDefinition(image));
    },
    'host.pause': async (wish) => {
      await choice.takePause(wish);
      return DONE;
    },
    'host.resume': () => steered(() => choice.resume()),
    'host.offline': () => steered(() => choice.goOffline()),
    'host.online': () => steered(() => choice.goOnline()),
    'host.takeBack': () => steered(() => takeBack(listener)),
    'host.quit': ({ how }) => steered(() => deps.quit(how)),
    'page.address': () => ({ url: deps.signInUrl() }),
    'leftover.remove': async ({ id }) => {
      await deps.leftovers.removeKept(id);
      return DONE;
    },
    'health.run': ({ check }) => deps.health.run(check),
    'health.mute': ({ check }) => steered(() => deps.health.mute(check, true)),
    'health.unmute': ({ check }) => steered(() => deps.health.mute(check, false)),
    'profiles.list': () => deps.profiles.list(),
    ...profileRequests(deps.desk),
    'job.conversation': (input) => deps.conversations.page(input),
    'engine.check': async () => {
      await deps.engines.look();
      return DONE;
    },
    'permission.allow': ({ flowId, option }) => permitted(() => settings.allow(flowId, option)),
    'permission.revoke': ({ flowId, option }) => permitted(() => settings.revoke(flowId, option)),
  };
}

/** Only the owner's word starts this: two hosts that each took the runner back by themselves would never end. */
function takeBack(listener: HostRequestsDeps['listener']): void {
  const { session } = listener;
  if (session.kind !== 'refused' || session.refusal !== 'replaced')
    throw new ProblemError('not_taken_over', 'No other process has taken over this runner.');
  listener.retry();
}

function knownJob({ store }: HostRequestsDeps, text: string): JobId {
  const jobId = toJobId(text);
  if (jobId === undefined || store.kept.job(jobId) === undefined)
    throw new ProblemError('unknown_job', 'This host does not know the job.');
  return jobId;
}

async function runAgain(deps: HostRequestsDeps, text: string): Promise<{ jobId: string }> {
  onlyHere(deps);
  const job = deps.store.kept.job(knownJob(deps, text));
  if (job === undefined || occupiesSlot(job.state))
    throw new ProblemError('not_ended', 'The job has not ended yet.', 'Stop it first.');
  const { flowId } = job.spec;
  if (flowId === null)
    throw new ProblemError('no_flow', 'The job belongs to no flow.', 'Submit it anew.');
  return submit(deps, { flow_id: flowId });
}

async function submit(
  deps: HostRequestsDeps,
  definition: Readonly<Record<string, unknown>>,
): Promise<{ jobId: string }> {
  const plane = onlyHere(deps);
  try {
    const { id } = await plane.submit(definition);
    return { jobId: id };
  } catch (error) {
    if (!(error instanceof PlaneRequestError)) throw error;
    const sentence = error.message.replace(/[^.!?]$/, '$&.');
    throw new ProblemError('job_refused', sentence, 'Correct the job and submit it again.');
  }
}

function onlyHere({ plane }: HostRequestsDeps): Pick<PlaneClient, 'submit'> {
  if (plane !== null) return plane();
  throw new ProblemError(
    'not_embedded',
    'Jobs of this host come from Preloop.',
    'Start the flow in Preloop.',
  );
}
