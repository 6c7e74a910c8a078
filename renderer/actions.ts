/** What a person can do from several places: asks the host, and says how that went. Owns no state. */
import type { Problem } from '../main/contract/frames.ts';
import type { RequestInput } from '../main/contract/requests.ts';
import type {
  CheckId,
  CheckView,
  JobRow,
  LeftoversView,
  PermissionView,
  RemedyView,
} from '../main/contract/views.ts';
import { pageClient } from './host-client/page-client.ts';
import { toProblem } from './host-client/problem.ts';
import { shortId } from './format.ts';
import { goTo } from './router.ts';
import { openDialog } from './stores/dialog-store.ts';
import { say } from './stores/notice-store.ts';
import { jobWords } from './job-words.ts';
import { words } from './words.ts';

/** Shows what the host said, with its remedy. */
export function showProblem(problem: Problem): void {
  say(problem.message, 'failed', problem.remedy);
}

/** Runs `act`; a failure is shown and swallowed, since nobody else waits for it. */
function attempt(act: () => Promise<void>): void {
  void act().catch((error: unknown) => showProblem(toProblem(error)));
}

export function pause(wish: RequestInput<'host.pause'> = {}): void {
  attempt(async () => {
    await pageClient.request('host.pause', wish);
    say(wish.onBattery === true ? words.notice.pausesOnBattery : words.notice.paused);
  });
}

/** @param held jobs that run when this is asked */
export function quit(how: RequestInput<'host.quit'>['how'], held: number): void {
  attempt(async () => {
    await pageClient.request('host.quit', { how });
    say(words.notice.quitting(how === 'drain' ? held : 0));
  });
}

export function resume(): void {
  attempt(async () => {
    await pageClient.request('host.resume', {});
    say(words.notice.resumed);
  });
}

export function goOffline(): void {
  attempt(async () => {
    await pageClient.request('host.offline', {});
    say(words.notice.offline);
  });
}

export function goOnline(): void {
  attempt(async () => {
    await pageClient.request('host.online', {});
    say(words.notice.online);
  });
}

export function takeBack(): void {
  attempt(async () => {
    await pageClient.request('host.takeBack', {});
    say(words.notice.takenBack);
  });
}

export function checkEngine(): void {
  attempt(async () => {
    await pageClient.request('engine.check', {});
    say(words.notice.checking);
  });
}

/** Null: all of them. The checks come in one by one through the watch. */
export function runChecks(check: CheckId | null): void {
  attempt(async () => {
    await pageClient.request('health.run', { check });
  });
}

export function mute(check: Pick<CheckView, 'id' | 'title'>): void {
  attempt(async () => {
    await pageClient.request('health.mute', { check: check.id });
    say(words.health.mutedNow(check.title));
  });
}

export function unmute(check: Pick<CheckView, 'id' | 'title'>): void {
  attempt(async () => {
    await pageClient.request('health.unmute', { check: check.id });
    say(words.health.unmutedNow(check.title));
  });
}

/** What is in a kept container is gone with it: asked first. */
export function askToRemoveKept(kept: LeftoversView['kept'][number]): void {
  openDialog({ kind: 'remove_kept', kept });
}

export function removeKept(kept: LeftoversView['kept'][number]): void {
  attempt(async () => {
    await pageClient.request('leftover.remove', { id: kept.id });
    say(words.dialogs.removeKept.done(kept.name));
  });
}

export function pin(job: Pick<JobRow, 'jobId'>, pinned: boolean): void {
  attempt(async () => {
    await pageClient.request(pinned ? 'job.pin' : 'job.unpin', { jobId: job.jobId });
    say(pinned ? words.notice.pinned : words.notice.unpinned);
  });
}

/** Starts the test job and opens it, so that its log is seen from the first line. */
export function runTestJob(): void {
  attempt(async () => {
    const { jobId } = await pageClient.request('job.test', {});
    say(words.notice.testStarted);
    goTo({ name: 'job', jobId, parameters: '' });
  });
}

/** Starts the flow of an ended job anew and opens the new job. */
export function runAgain(jobId: string): void {
  attempt(async () => {
    const made = await pageClient.request('job.run_again', { jobId });
    say(jobWords.runningAgain);
    goTo({ name: 'job', jobId: made.jobId, parameters: '' });
  });
}

export function askToStop(job: Pick<JobRow, 'jobId' | 'title' | 'startedAtMs'>): void {
  openDialog({ kind: 'stop', job });
}

export function stopJob(job: Pick<JobRow, 'jobId' | 'title'>): void {
  attempt(async () => {
    await pageClient.request('job.stop', { jobId: job.jobId });
    say(words.dialogs.stop.done(job.title));
  });
}

/** A permission is given only after its consequence was read. */
export function askToAllow(permission: PermissionView, title: string): void {
  openDialog({ kind: 'allow', permission, title });
}

export function allow(permission: PermissionView): void {
  attempt(async () => {
    await pageClient.request('permission.allow', permission);
    say(
      words.permissions.allowed(words.option(permission.option).name, shortId(permission.flowId)),
    );
  });
}

export function revoke(permission: PermissionView): void {
  attempt(async () => {
    await pageClient.request('permission.revoke', permission);
    say(
      words.permissions.revoked(words.option(permission.option).name, shortId(permission.flowId)),
    );
  });
}

export function copyText(text: string, done: string): void {
  attempt(async () => {
    await navigator.clipboard.writeText(text);
    say(done);
  });
}

/** What the overview's remedy does; undefined for one that is only words. */
export function remedyAction(
  remedy: RemedyView,
  newestJobId: string | null,
): (() => void) | undefined {
  switch (remedy.action) {
    case 'resume':
      return resume;
    case 'go_online':
    case 'try_now':
      return goOnline;
    case 'take_back':
      return takeBack;
    case 'check_engine':
      return checkEngine;
    case 'run_test_job':
      return runTestJob;
    case 'open_job':
      if (newestJobId === null) return undefined;
      return () => goTo({ name: 'job', jobId: newestJobId, parameters: '' });
    case 'none':
      return undefined;
  }
}
