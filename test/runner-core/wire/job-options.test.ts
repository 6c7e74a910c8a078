import { describe, expect, test } from 'vitest';
import type { Json } from '../../../runner-core/model/json.ts';
import { imageOf, mountParts, parseRunnerOptions } from '../../../runner-core/wire/job-options.ts';

const options = (runner: Json, image = 'i'): unknown => parseRunnerOptions({ image, runner });

describe('imageOf', () => {
  test.each<[Record<string, Json>, string]>([
    [{ image: ' a:1 ', docker_image: 'b' }, 'a:1'],
    [{ image: ' ', docker_image: ' b ' }, 'b'],
    [{ image: 7, docker_image: 'b' }, 'b'],
    [{ image: null }, ''],
    [{}, ''],
  ])('%j names %j', (config, image) => {
    expect(imageOf(config)).toBe(image);
  });
});

describe('switches', () => {
  test.each([true, '1', 'true', 'YES', ' On '])('%j switches on', (value) => {
    expect(options({ mount_docker_socket: value, persist_workspace: value })).toMatchObject({
      mountDockerSocket: true,
      persistWorkspace: true,
    });
  });

  test.each([false, 1, 0, 'y', '', 'false', null, {}, ['true']])('%j does not', (value) => {
    expect(options({ mount_docker_socket: value, persist_workspace: value })).toMatchObject({
      mountDockerSocket: false,
      persistWorkspace: false,
    });
  });
});

describe('the image entrypoint', () => {
  const universal = 'ghcr.io/openai/codex-universal:latest';
  test.each<[string, Json, boolean]>([
    [universal, {}, true],
    [universal, { preserve_image_entrypoint: false }, false],
    [`${universal}-arm`, {}, false],
    ['i', { preserve_image_entrypoint: true }, true],
    ['i', { preserve_image_entrypoint: 'true' }, false],
    [universal, { preserve_image_entrypoint: 'false' }, true],
  ])('of %s with %j is preserved: %s', (image, runner, preserveEntrypoint) => {
    expect(options(runner, image)).toMatchObject({ preserveEntrypoint });
  });
});

describe('the network', () => {
  test.each<[Json, string | null]>([
    [' team_net-1.x ', 'team_net-1.x'],
    ['host', 'host'],
    ['  ', null],
    [null, null],
  ])('%j is %j', (network, expected) => {
    expect(options({ network })).toMatchObject({ network: expected });
  });

  test.each([7, 'a b', '-n', 'container:abc', 'a/b', ['n']])('%j is refused', (network) => {
    expect(options({ network })).toMatchObject({ field: 'agent_config.runner.network' });
  });
});

describe('mounts', () => {
  test('are trimmed and kept in their order', () => {
    expect(options({ extra_mounts: [' /b:/x:RO ', '/a:/y'] })).toMatchObject({
      extraMounts: ['/b:/x:RO', '/a:/y'],
    });
  });

  test.each([null, []])('%j are none', (extra_mounts) => {
    expect(options({ extra_mounts })).toMatchObject({ extraMounts: [] });
  });

  test.each(['/a:/b', {}, 7])('%j are no list', (extra_mounts) => {
    expect(options({ extra_mounts })).toMatchObject({
      field: 'agent_config.runner.extra_mounts',
      problem: 'is not a list',
    });
  });

  test('the first bad entry is named by its place', () => {
    expect(options({ extra_mounts: ['/a:/b', 'a:/b', 7] })).toMatchObject({
      field: 'agent_config.runner.extra_mounts.1',
    });
  });

  test.each<[string, unknown]>([
    ['/a:/b', { hostPath: '/a', containerPath: '/b', mode: null }],
    ['/a:/b:Rw', { hostPath: '/a', containerPath: '/b', mode: 'rw' }],
    ['C:\\data:/b', { hostPath: 'C:\\data', containerPath: '/b', mode: null }],
    ['d:/data:/b:ro', { hostPath: 'd:/data', containerPath: '/b', mode: 'ro' }],
  ])('%s has parts', (text, parts) => {
    expect(mountParts(text)).toEqual(parts);
  });

  test.each(['', '/a', ':', '/a:', ':/b', 'a:/b', './a:/b', '/a:b', '/a:/b:', '/a:/b:z'])(
    '%j has none',
    (text) => {
      expect(mountParts(text)).toBeUndefined();
    },
  );
  test.each(['/a:/b:ro:z', '/a:C:\\b', 'C:data:/b', 'CC:/data:/b', 'name:/b'])(
    '%j has none either',
    (text) => {
      expect(mountParts(text)).toBeUndefined();
    },
  );
});

test('options that are no object are refused', () => {
  expect(options([])).toMatchObject({ field: 'agent_config.runner' });
  expect(options('x')).toMatchObject({ field: 'agent_config.runner' });
});
