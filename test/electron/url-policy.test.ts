/** What the window may visit, and what goes to the system's browser: every trick is a row. */
import { expect, test } from 'vitest';
import { externalUrl, isOwnPage } from '../../electron/url-policy.ts';

const OWN = 'http://127.0.0.1:4127';

test.each([
  `${OWN}/`,
  `${OWN}/#code=abc`,
  `${OWN}/jobs/1?state=failed#log`,
  'HTTP://127.0.0.1:4127/',
  'http://127.1:4127/',
])('the own page at %s may be visited', (address) => {
  expect(isOwnPage(address, OWN)).toBe(true);
});

test.each([
  '',
  '/jobs',
  'about:blank',
  'http://127.0.0.1/',
  'http://127.0.0.1:41270/',
  'http://127.0.0.1:4128/',
  'https://127.0.0.1:4127/',
  'http://localhost:4127/',
  'http://127.0.0.2:4127/',
  'http://127.0.0.1.example.com:4127/',
  'http://127.0.0.1:4127@example.com/',
  'http://user@127.0.0.1:4127/',
  'http://:secret@127.0.0.1:4127/',
  'http://example.com/?http://127.0.0.1:4127/',
  'http://example.com\\@127.0.0.1:4127/',
  'ws://127.0.0.1:4127/',
  'blob:http://127.0.0.1:4127/0b7e',
  'filesystem:http://127.0.0.1:4127/temporary/x',
  'view-source:http://127.0.0.1:4127/',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>1</script>',
  'file:///etc/passwd',
  'file://127.0.0.1:4127/',
  'chrome://gpu',
  'devtools://devtools/bundled/inspector.html',
])('a visit to %s is refused', (address) => {
  expect(isOwnPage(address, OWN)).toBe(false);
});

test.each([
  ['https://github.com/preloop/x/pull/7', 'https://github.com/preloop/x/pull/7'],
  ['HTTPS://GitHub.com', 'https://github.com/'],
  ['https://example.com/a b"c', 'https://example.com/a%20b%22c'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
])('the link %s is handed on as %s', (address, given) => {
  expect(externalUrl(address)?.href).toBe(given);
});

test.each([
  '',
  'http://example.com/',
  'http://127.0.0.1:4127/',
  'file:///bin/sh',
  'smb://share/x',
  'javascript:alert(1)',
  'data:text/html,x',
  'mailto:a@example.com',
  'ms-settings:',
  'vscode://x',
  'search-ms:query=x',
  'https:',
  'https://',
  'https://paypal.com@example.com/',
  'https://user:secret@example.com/',
  ' \u0000https//example.com',
  `https://example.com/${'x'.repeat(3_000)}`,
])('the link %s is not handed on', (address) => {
  expect(externalUrl(address)).toBeNull();
});
