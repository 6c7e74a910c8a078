/**
 * Where the page is, read from the fragment of the address. Filters are in it, so an address can be kept
 * or sent, and Back does what a person expects. Owns no screen.
 */
import { useSyncExternalStore } from 'react';
import { JOB_STATES, type JobStateName } from '../main/contract/views.ts';

export interface JobsRoute {
  readonly name: 'jobs';
  readonly states: readonly JobStateName[];
  readonly text: string;
}
export type Route =
  | { readonly name: 'overview' }
  | JobsRoute
  /** `parameters` belongs to the job's screen, which reads and writes it. */
  | { readonly name: 'job'; readonly jobId: string; readonly parameters: string }
  | { readonly name: 'permissions' }
  | { readonly name: 'health' }
  /** `parameters` belongs to the screens of profiles. */
  | { readonly name: 'profiles'; readonly parameters: string }
  | { readonly name: 'unknown'; readonly address: string };

export const ALL_JOBS: JobsRoute = { name: 'jobs', states: [], text: '' };

/** @param hash as in `location.hash`, with or without its `#` */
export function parseRoute(hash: string): Route {
  const address = hash.replace(/^#/, '');
  const [path = '', query = ''] = splitOnce(address, '?');
  const parts = path.split('/').filter((part) => part !== '');
  const [screen, id, ...more] = parts;
  if (more.length > 0) return { name: 'unknown', address };
  if (screen === undefined) return { name: 'overview' };
  if (screen === 'jobs' && id !== undefined) {
    const jobId = decoded(id);
    return jobId === undefined
      ? { name: 'unknown', address }
      : { name: 'job', jobId, parameters: query };
  }
  if (id !== undefined) return { name: 'unknown', address };
  if (screen === 'jobs') return parseJobs(new URLSearchParams(query));
  if (screen === 'permissions') return { name: 'permissions' };
  if (screen === 'health') return { name: 'health' };
  if (screen === 'profiles') return { name: 'profiles', parameters: query };
  return { name: 'unknown', address };
}

export function formatRoute(route: Route): string {
  switch (route.name) {
    case 'overview':
      return '#/';
    case 'permissions':
      return '#/permissions';
    case 'health':
      return '#/health';
    case 'profiles':
      return withQuery('#/profiles', route.parameters);
    case 'unknown':
      return `#${route.address}`;
    case 'job':
      return withQuery(`#/jobs/${encodeURIComponent(route.jobId)}`, route.parameters);
    case 'jobs': {
      const query = new URLSearchParams();
      if (route.states.length > 0) query.set('state', route.states.join('.'));
      if (route.text !== '') query.set('text', route.text);
      return withQuery('#/jobs', query.toString());
    }
  }
}

/** Goes there; Back leads here again. */
export function goTo(route: Route): void {
  location.hash = formatRoute(route);
}

/** Changes the address without a step to go back to, as while a filter is typed. */
export function replaceRoute(route: Route): void {
  history.replaceState(null, '', formatRoute(route));
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  addEventListener('hashchange', changed);
  return () => {
    listeners.delete(changed);
    removeEventListener('hashchange', changed);
  };
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return parseRoute(hash);
}

function parseJobs(query: URLSearchParams): JobsRoute {
  const named = (query.get('state') ?? '').split('.');
  return {
    name: 'jobs',
    states: JOB_STATES.filter((state) => named.includes(state)),
    text: (query.get('text') ?? '').slice(0, 200),
  };
}

function splitOnce(text: string, at: string): readonly string[] {
  const index = text.indexOf(at);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}
