import { describe, expect, test } from 'vitest';
import {
  jobMarkerSchema,
  mergeMarkers,
  readMarker,
  type JobMarker,
} from '../../../runner-core/wire/markers.ts';

const pullRequest = (url: string, branch: string | null = null): JobMarker => ({
  kind: 'pr_opened',
  url,
  branch,
  provider: null,
});
const opened = (url: string): string => `PRELOOP_PR_OPENED ${JSON.stringify({ url })}`;

describe('a pull request', () => {
  test('is read behind other text, from the first brace to the last', () => {
    const line =
      'agent> PRELOOP_PR_OPENED: {"url":"https://github.com/a/b/pull/7","branch":"x","provider":"github"} ok';
    expect(readMarker(line)).toEqual({
      kind: 'pr_opened',
      url: 'https://github.com/a/b/pull/7',
      branch: 'x',
      provider: 'github',
    });
  });

  test.each([
    ['https://GitHub.com:443/A/b/issues/7/?x=1#y', 'https://github.com/A/b/pull/7'],
    ['http://git.example.test:8080/a/b/pulls/7//', 'http://git.example.test/a/b/pulls/7'],
    ['gitlab.com/a/b/-/merge_requests/7', 'https://gitlab.com/a/b/-/merge_requests/7'],
    ['https://gitlab.com/a/b/issues/7', 'https://gitlab.com/a/b/issues/7'],
    ['https://user:word@github.com/a/b/pull/7', 'https://github.com/a/b/pull/7'],
    ['HTTPS://github.com/a/b/pull/7?', 'https://github.com/a/b/pull/7'],
    ['https://api.github.com/repos/A/b/pulls/7?x', 'https://api.github.com/repos/A/b/pulls/7?x'],
    ['https://git.example.test/api/v1/repos/a/7/', 'https://git.example.test/api/v1/repos/a/7/'],
  ])('at %s is known as %s', (given, url) => {
    expect(readMarker(opened(given))).toEqual(pullRequest(url));
  });

  test.each([
    'javascript:alert(1)',
    'ftp://github.com/a',
    'https://github.com',
    'https://github.com/',
    'word',
    'https://host/a/b',
    'https://git hub.com/a',
    'https://user:word@api.github.com/repos/a',
    `https://github.com/${'a'.repeat(2_100)}`,
    '',
  ])('at %j is none', (url) => {
    expect(readMarker(opened(url))).toBeNull();
  });

  test.each([
    'PRELOOP_PR_OPENED',
    'PRELOOP_PR_OPENED {',
    'PRELOOP_PR_OPENED {"url":7}',
    'PRELOOP_PR_OPENED }{',
    'echo PRELOOP_PR_OPENED "{\\"url\\": $URL}"',
  ])('in %j is none', (line) => {
    expect(readMarker(line)).toBeNull();
  });
});

describe('an agent session', () => {
  test.each([
    ['codex', '5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c01'],
    ['opencode', 'ses_Ab12'],
  ])('of %s is read with its id', (agentType, sessionId) => {
    expect(readMarker(`x PRELOOP_AGENT_SESSION  ${agentType}  ${sessionId} y`)).toEqual({
      kind: 'agent_session',
      agentType,
      sessionId,
    });
  });

  test.each([
    'codex ses_Ab12',
    'codex 5F0C2A34-8d1e-4b7a-9c55-2e6f7a8b9c01',
    'opencode ses_1',
    'pi x',
    'Codex',
    '',
  ])('of %j is none', (rest) => {
    expect(readMarker(`PRELOOP_AGENT_SESSION ${rest}`)).toBeNull();
  });
});

describe('a marker of the launch script', () => {
  test.each<[string, JobMarker]>([
    ['PRELOOP_SETUP_FAILED', { kind: 'setup_failed' }],
    ['  PRELOOP_SETUP_FAILED: npm ci', { kind: 'setup_failed' }],
    ['PRELOOP_PROMPT_NOT_DELIVERED', { kind: 'prompt_not_delivered' }],
    ['PRELOOP_LAUNCH_PAYLOAD_MISSING 3', { kind: 'launch_payload_missing' }],
    ['PRELOOP_LAUNCH_PAYLOAD_TRUNCATED', { kind: 'launch_payload_truncated' }],
    ['PRELOOP_VERIFICATION {"allowed":true,"x":1}', { kind: 'verification', allowed: true }],
    ['PRELOOP_VERIFICATION {"allowed":"yes"}', { kind: 'verification', allowed: false }],
    [
      'PRELOOP_STREAM_RECOVERY try 2',
      { kind: 'stream_recovery', stage: 'started', detail: 'try 2' },
    ],
    [
      'PRELOOP_STREAM_RECOVERY_RESULT ok',
      { kind: 'stream_recovery', stage: 'result', detail: 'ok' },
    ],
    [
      'PRELOOP_STREAM_RECOVERY_UNAVAILABLE',
      { kind: 'stream_recovery', stage: 'unavailable', detail: '' },
    ],
  ])('%s is read, and read back from the store', (line, marker) => {
    expect(readMarker(line)).toEqual(marker);
    expect(jobMarkerSchema.parse(JSON.parse(JSON.stringify(marker)))).toEqual(marker);
  });

  test.each([
    'echo PRELOOP_SETUP_FAILED',
    'PRELOOP_SETUP_FAILED_BEFORE',
    'PRELOOP_SETUP_FAILEDx',
    'PRELOOP_VERIFICATION {"ok":true}',
    'PRELOOP_VERIFICATION',
    'PRELOOP_NATIVE_RESUME {}',
    'PRELOOP_',
    'an ordinary line',
    '',
  ])('%j is none', (line) => {
    expect(readMarker(line)).toBeNull();
  });
});

describe('mergeMarkers', () => {
  const first = pullRequest('https://github.com/a/b/pull/1');

  test('keeps the first pull request, and takes a missing branch from the same one only', () => {
    expect(mergeMarkers([], [first, pullRequest('https://github.com/a/b/pull/2', 'x')])).toEqual([
      first,
    ]);
    const withBranch = mergeMarkers(
      [first],
      [pullRequest(first.kind === 'pr_opened' ? first.url : '', 'x')],
    );
    expect(withBranch).toEqual([{ ...first, branch: 'x' }]);
    expect(mergeMarkers(withBranch, [{ ...first, branch: 'y' } as JobMarker])).toEqual(withBranch);
  });

  test('keeps the first session, the last verification and the last word of each recovery stage', () => {
    const markers: JobMarker[] = [
      { kind: 'agent_session', agentType: 'codex', sessionId: '1' },
      { kind: 'agent_session', agentType: 'codex', sessionId: '2' },
      { kind: 'verification', allowed: false },
      { kind: 'verification', allowed: true },
      { kind: 'stream_recovery', stage: 'started', detail: '1' },
      { kind: 'stream_recovery', stage: 'result', detail: 'no' },
      { kind: 'stream_recovery', stage: 'started', detail: '2' },
    ];
    expect(mergeMarkers([], markers)).toEqual([markers[0], markers[3], markers[6], markers[5]]);
  });

  test('gives back the held list itself when nothing is new', () => {
    const held: readonly JobMarker[] = [first, { kind: 'setup_failed' }];
    expect(mergeMarkers(held, [{ kind: 'setup_failed' }, first])).toBe(held);
    expect(mergeMarkers(held, [])).toBe(held);
  });
});
