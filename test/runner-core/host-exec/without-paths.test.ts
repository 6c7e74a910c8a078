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
  ['\u001b[31m/home/ada/x\u001b[0m failed', '<path> failed'],
  ['\u009b1m/home/ada/x\u009bm failed', '<path> failed'],
  ['see \u001b]8;;file:///home/ada/x\u0007here\u001b]8;;\u0007', 'see here'],
  ['see \u001b]8;;file:///home/ada/x\u001b\\here', 'see here'],
  ['\u001b]0;/home/ada never ended\nthen', '\nthen'],
  ['→/home/ada/x, •/home/ada/y', '→<path>, •<path>'],
  ['cc -I/home/ada/include -L/home/ada/lib', 'cc -I<path> -L<path>'],
  ['failed.../home/ada/x', 'failed...<path>'],
  ['~ada/notes and ~/notes', '<path> and <path>'],
  ["open '/home/ada/my notes/never closed", "open '<path>'"],
  ['at "file:///home/ada/my notes/x.js":3', 'at "<path>":3'],
  ['vscode-file://vscode-app/home/ada/x', '<path>'],
  ['/home/ada/my notes/x is gone', '<path> is gone'],
  [String.raw`/home/ada/my\ notes is gone`, '<path> is gone'],
  ['PATH=/usr/bin:/home/ada/bin', 'PATH=<path>'],
  ['/home/ada/a,b/c(1)/d is gone', '<path> is gone'],
  ['[/home/ada/x] {/home/ada/y}', '[<path>] {<path>}'],
  [String.raw`C:\Program Files\nodejs\node.exe is old`, '<path> is old'],
  [String.raw`{"cwd":"C:\\Users\\ada"}`, '{"cwd":"<path>"}'],
  [String.raw`on \\\\server\\share`, 'on <path>'],
  [String.raw`in \\?\C:\Users\ada\x`, 'in <path>'],
  [String.raw`in \Users\ada\x`, 'in <path>'],
  ['C:/Users/ada/x', '<path>'],
])('%s', ([text = '', bare]) => {
  expect(withoutPaths(text)).toBe(bare);
});

test.for([
  'see https://cursor.com/docs/cli for more',
  'either/or, 3/4, a / b and //',
  'exit code 2: rate limit (429)',
  'model house/fast is not available',
  'at ./src/a.ts:1:2 and ../b/c.ts',
  'tabs\tand\nlines',
])('what is no path stays: %s', (text) => {
  expect(withoutPaths(text)).toBe(text);
});

test('a known folder with spaces goes whole, with what is below it', () => {
  const places = ['/Users/Ada Lovelace', '/Users/Ada Lovelace/my runs'];
  expect(withoutPaths('wrote /Users/Ada Lovelace/my runs/x/secret.txt twice', places)).toBe(
    'wrote <path> twice',
  );
});

test.for([
  ['/Users/Ada Lovelace', 'in /users/ADA Lovelace/x', 'in <path>'],
  [String.raw`C:\Users\Ada Lovelace`, 'in C:/Users/Ada Lovelace/x', 'in <path>'],
  [String.raw`C:\Users\Ada Lovelace`, String.raw`"C:\\Users\\Ada Lovelace\\x"`, '"<path>"'],
  ['/srv/a+b (old)/', 'in /srv/a+b (old)/x', 'in <path>'],
])('the known folder %s goes from: %s', ([place = '', text = '', bare]) => {
  expect(withoutPaths(text, [place])).toBe(bare);
});

test('where a text was cut, the beginning of a known folder goes too', () => {
  const place = '/Users/Ada Lovelace/runs';
  for (let chars = 5; chars < place.length; chars++)
    expect(withoutPaths(`wrote ${place.slice(0, chars)}…\nnext`, [place])).toBe(
      'wrote <path>\nnext',
    );
});
