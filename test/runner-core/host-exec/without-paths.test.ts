import { expect, test } from 'vitest';
import { withoutPaths } from '../../../runner-core/host-exec/without-paths.ts';

test.for([
  ['there is no /home/ada/.local/bin/agent here', 'there is no <path> here'],
  ["ENOENT: rename '/home/ada/my files/a' -> '/home/ada/b'", "ENOENT: rename '<path>' -> '<path>'"],
  ['in none of /usr/bin, /home/ada/bin and 3 more', 'in none of <path>, <path> and 3 more'],
  ['at run (/opt/cursor/index.js:10:2)', 'at run (<path>:10:2)'],
  [String.raw`C:\Users\ada\agent.exe is a folder`, '<path> is a folder'],
  [String.raw`"C:\Users\Ada L\x" failed`, '"<path>" failed'],
  [String.raw`on \\server\share\x`, 'on <path>'],
  ['~/.cursor/cli-config.json is broken', '<path> is broken'],
  ['cwd=/srv/runs', 'cwd=<path>'],
  ['cwd:/srv/runs', 'cwd:<path>'],
  ['see file:///home/ada/x.html', 'see <path>'],
  ['first\n/home/ada/second', 'first\n<path>'],
])('%s', ([text = '', bare]) => {
  expect(withoutPaths(text)).toBe(bare);
});

test.for([
  'see https://cursor.com/docs/cli for more',
  'either/or, 3/4, a / b and //',
  'exit code 2: rate limit (429)',
  'model house/fast is not available',
])('what is no path stays: %s', (text) => {
  expect(withoutPaths(text)).toBe(text);
});

test('a known folder with spaces goes whole, with what is below it', () => {
  const places = ['/Users/Ada Lovelace', '/Users/Ada Lovelace/my runs'];
  expect(withoutPaths('wrote /Users/Ada Lovelace/my runs/x/secret.txt twice', places)).toBe(
    'wrote <path> twice',
  );
});
