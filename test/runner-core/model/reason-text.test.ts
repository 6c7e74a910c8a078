import { expect, test } from 'vitest';
import { reasonText } from '../../../runner-core/model/reason-text.ts';
import { reason, REASON_CODES } from '../../../runner-core/model/reason.ts';

const FACTS = {
  image: 'fact-image',
  flow: 'fact-flow',
  option: 'fact-option',
  value: 'fact-value',
  network: 'fact-network',
  workspace: 'fact-workspace',
  field: 'fact-field',
  problem: 'fact-problem',
  kind: 'fact-kind',
  agentType: 'fact-agent',
  supported: 'fact-supported',
  exitCode: '42',
  signal: 'SIGUSR1',
  limit: '8 GiB',
  detail: 'fact-detail.',
};

test.each(REASON_CODES)('%s has one sentence and one remedy, with and without facts', (code) => {
  for (const facts of [{}, FACTS]) {
    const { what, remedy } = reasonText(reason(code, facts));
    for (const text of [what, remedy]) {
      expect(text).toMatch(/^[A-Z].*[A-Za-z0-9)]\.$/s);
      expect(text).not.toMatch(/undefined|please|oops|successfully|\.\.|!| {2}|\(\)/i);
      expect(text.length).toBeLessThan(250);
    }
  }
});

test('no two codes share a sentence or a remedy', () => {
  const texts = REASON_CODES.map((code) => reasonText(reason(code)));
  expect(new Set(texts.map(({ what }) => what)).size).toBe(REASON_CODES.length);
  expect(new Set(texts.map(({ remedy }) => remedy)).size).toBe(REASON_CODES.length);
});

test('every fact is named by at least one sentence', () => {
  const all = REASON_CODES.map((code) => reasonText(reason(code, FACTS)).what).join('\n');
  for (const value of Object.values(FACTS)) expect(all).toContain(value.replace(/\.$/, ''));
});

test.each([
  [
    reason('out_of_memory', { limit: '8 GiB' }),
    'The job was killed for memory: it reached its limit of 8 GiB.',
  ],
  [
    reason('image_pull_failed', { image: 'a:1', detail: 'denied.' }),
    'The image a:1 could not be pulled: denied.',
  ],
  [
    reason('permission_needed', { option: 'host_mount', value: '/a:/b' }),
    'The flow asks for something this machine has not been allowed to give (host_mount /a:/b).',
  ],
  [
    reason('permission_needed', { option: 'network', value: 'lan', flow: 'f-1' }),
    'The flow f-1 asks for something this machine has not been allowed to give (network lan).',
  ],
  [reason('exit_nonzero', { exitCode: '3' }), 'The job failed with exit code 3.'],
])('the facts of %j are named', (why, what) => {
  expect(reasonText(why).what).toBe(what);
});

test('the remedy of a missing permission is the line to write', () => {
  const why = reason('permission_needed', { option: 'network', value: 'lan', flow: 'f-1' });
  expect(reasonText(why).remedy).toContain('`f-1: [network]` under `allow:` in settings.yaml');
});

test('the machine word for a workspace that is elsewhere is in its sentence', () => {
  expect(reasonText(reason('workspace_recovery_unavailable')).what).toContain(
    'workspace_recovery_unavailable',
  );
});
