import { expect, test } from 'vitest';
import { buildArguments } from '../../../runner-core/host-exec/arguments.ts';
import { wouldRun } from '../../../runner-core/host-exec/would-run.ts';
import type { HostProfile } from '../../../runner-core/model/host-profile.ts';
import { PROFILE } from '../../support/host-job-bench.ts';

const parent = '/srv/runs/.preloop-host-exec/';

function shown(changes: Partial<HostProfile>, platform: 'linux' | 'win32' = 'linux') {
  const profile = { ...PROFILE, executable: 'cursor-agent', ...changes };
  return wouldRun({ profile, found: null, parent, platform });
}

test.for<Partial<HostProfile>>([
  {},
  { modelMap: {} },
  { argv: ['-p', '--output-format=json', '--trust'] },
  { argv: ['--mode', 'plan'], forceWrites: true },
  { argv: [], forceWrites: true, modelMap: {}, trustWorkspace: false },
])('%# it is what a job would get, each part with who it is from', (changes) => {
  const profile = { ...PROFILE, ...changes };
  const model = Object.keys(profile.modelMap)[0] ?? null;
  const real = buildArguments(profile, {
    workspace: `${parent}ID`,
    prompt: 'THE PROMPT',
    model,
    hasTrust: true,
  });
  const filled = shown(changes)
    .slice(1)
    .map(({ text }) =>
      text
        .replace('<job>', 'ID')
        .replace('<prompt>', 'THE PROMPT')
        .replace('<model>', profile.modelMap[model ?? ''] ?? ''),
    );
  expect(filled).toEqual(real);
  const of = (from: string) => shown(changes).filter((part) => part.from === from);
  expect(of('profile').map(({ text }) => text)).toEqual(['cursor-agent', ...profile.argv]);
  expect(of('job')).toHaveLength(model === null ? 2 : 3);
});

test('what a shell would take apart is quoted, and what is filled in is not', () => {
  const [, ...parts] = wouldRun({
    profile: { ...PROFILE, argv: ["it's", '$HOME'], modelMap: {} },
    found: { path: '/opt/my cursor/cursor-agent', prefix: [] },
    parent: '/srv/my runs/',
    platform: 'linux',
  });
  const texts = parts.map(({ text }) => text);
  expect(texts).toEqual(
    expect.arrayContaining([String.raw`'it'\''s'`, "'$HOME'", "'/srv/my runs/<job>'", '<prompt>']),
  );
});

test('where the file was found it is named, with what stands in front of the arguments', () => {
  const found = { path: '/usr/bin/node', prefix: ['/opt/cursor/index.js'] };
  const [first, second] = wouldRun({ profile: PROFILE, found, parent, platform: 'linux' });
  expect([first, second]).toEqual([
    { text: '/usr/bin/node', from: 'profile' },
    { text: '/opt/cursor/index.js', from: 'runner' },
  ]);
});
