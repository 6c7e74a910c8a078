import { expect, test } from 'vitest';
import { parseServerUrl, socketUrl } from '../../../main/control-plane/server-url.ts';

test.each([
  ['https://preloop.ai/', 'https://preloop.ai'],
  [' https://h.test/base/ ', 'https://h.test/base'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://localhost:1/', 'http://localhost:1'],
  ['http://[::1]:1/', 'http://[::1]:1'],
])('%s is accepted as %s', (text, url) => {
  expect(parseServerUrl(text)).toEqual({ ok: true, url });
});

test.each([
  'h.test',
  'wss://h.test',
  'http://h.test',
  'http://127.0.0.1.evil.test',
  'https://user@h.test',
  'https://h.test/?token=x',
  '',
])('%s is refused with a problem and a remedy', (text) => {
  const parsed = parseServerUrl(text);
  expect(parsed).toMatchObject({ ok: false });
  expect(parsed.ok ? '' : parsed.problem).not.toBe('');
  expect(parsed.ok ? '' : parsed.remedy).not.toBe('');
});

test('the socket keeps a path prefix and turns the scheme alone', () => {
  expect(socketUrl('https://h.test/http', 'r')).toBe('wss://h.test/http/api/v1/runners/r/ws');
});
