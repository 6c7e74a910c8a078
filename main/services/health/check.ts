/** What a check is: what it has to look at, what it finds, and which earlier ones must be well for it to mean anything. */
import type { CheckId, CheckState } from '../../contract/views.ts';

export interface Finding {
  readonly state: Exclude<CheckState, 'skipped'>;
  /** One plain sentence. */
  readonly said: string;
  /** One thing to do; null where nothing is wrong or it heals by itself. */
  readonly remedy: string | null;
  /** Where it is known better than by how long the look took, which may have waited for another's. */
  readonly tookMs?: number;
}

export interface LookOptions {
  /** By a person, who wants it looked at anew; otherwise what is known already will do where looking costs. */
  readonly isAsked: boolean;
  /** The host ends: nothing is waited for any more. */
  readonly signal: AbortSignal;
}

/** May reject; that is a fault of ours and shown as one. */
export type Look = (options: LookOptions) => Finding | Promise<Finding>;

/** All of one round: what they share, such as one connection to the service, is made anew with each. */
export type Checks = Readonly<Record<CheckId, Look>>;

/** Where one of these failed or was not reached, the check is not reached either. */
export const NEEDS: Readonly<Record<CheckId, readonly CheckId[]>> = {
  name: [],
  proxy: [],
  certificate: ['name', 'proxy'],
  web: ['name', 'proxy', 'certificate'],
  live_connection: ['web'],
  clock: ['web'],
  docker: [],
  images: ['docker'],
  disk: [],
  store: [],
  cursor: [],
};

/** For a person, in the words of the Health screen. */
export const TITLES: Readonly<Record<CheckId, string>> = {
  name: 'Name',
  proxy: 'Proxy',
  certificate: 'Certificate',
  web: 'Web',
  live_connection: 'Live connection',
  clock: 'Clock',
  docker: 'Docker',
  images: 'Images',
  disk: 'Disk',
  store: 'Store',
  cursor: 'Cursor',
};

export const fine = (said: string): Finding => ({ state: 'ok', said, remedy: null });
export const notApplicable = (said: string): Finding => ({
  state: 'not_applicable',
  said,
  remedy: null,
});
export const warning = (said: string, remedy: string | null): Finding => ({
  state: 'warning',
  said,
  remedy,
});
export const failed = (said: string, remedy: string | null): Finding => ({
  state: 'failed',
  said,
  remedy,
});
