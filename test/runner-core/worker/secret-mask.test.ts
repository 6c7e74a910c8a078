import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SecretMask, secretsOf } from '../../../runner-core/worker/secret-mask.ts';

function inPieces(mask: SecretMask, text: string, cuts: readonly number[]): string {
  const bytes = Buffer.from(text);
  const line = mask.lineMask();
  const out: Buffer[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    // Copied out: what a mask returns may lie in the pushed buffer.
    out.push(Buffer.from(line.push(Buffer.from(bytes.subarray(from, cut)))));
    from = Math.max(from, cut);
  }
  out.push(line.end());
  return Buffer.concat(out).toString();
}

test('every occurrence goes; what overlaps or touches becomes one', () => {
  const mask = new SecretMask(['abcdef', 'defghi', 'aaaa']);
  expect(mask.maskText('x abcdef y abcdefghi z abcdefabcdef aaaaaaa aaa')).toBe(
    'x *** y *** z *** *** aaa',
  );
  expect(mask.maskText('nothing here')).toBe('nothing here');
});

test('bytes without a secret are returned as they are, not copied', () => {
  const mask = new SecretMask(['topsecret']);
  const bytes = Buffer.from('nothing to see');
  expect(mask.maskBytes(bytes)).toBe(bytes);
  expect(mask.maskBytes(Buffer.from('a topsecret b')).toString()).toBe('a *** b');
});

const alphabet = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 4, maxLength: 9 });

test('a line in pieces is masked like the whole line, wherever it is cut', () => {
  fc.assert(
    fc.property(
      fc.array(alphabet, { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)), { maxLength: 9 }),
      fc.array(fc.nat(120), { maxLength: 6 }),
      (secrets, parts, cuts) => {
        const mask = new SecretMask(secrets);
        // Whole secrets and parts of them, next to each other and apart.
        const text = parts
          .map(([which, from, length]) => (secrets[which] ?? '-').slice(from % 4, from + length))
          .join('');
        const whole = mask.maskText(text);
        const length = Buffer.byteLength(text);
        const sorted = cuts.filter((cut) => cut <= length).sort((a, b) => a - b);
        expect(inPieces(mask, text, sorted)).toBe(whole);
        expect(inPieces(mask, text, [...Array(length).keys()])).toBe(whole);
        for (const secret of secrets) expect(whole).not.toContain(secret);
      },
    ),
    { numRuns: 500 },
  );
});

test('no piece shows a byte of a secret before the secret is complete', () => {
  const mask = new SecretMask(['swordfish']);
  const line = mask.lineMask();
  const shown = Array.from('the swordfish!', (char) => line.push(Buffer.from(char)).toString());
  expect(shown.join('') + line.end().toString()).toBe('the ***!');
  expect(shown.slice(0, 12).join('')).not.toMatch(/[swordfi]{2}/);
});

test('reports are masked in strings and keys, and other values stay', () => {
  const mask = new SecretMask(['swordfish']);
  const report = { 'key swordfish': ['a swordfish', 1, null, { ok: true }], __proto__x: 'fine' };
  expect(mask.maskJson(report)).toEqual({
    'key ***': ['a ***', 1, null, { ok: true }],
    __proto__x: 'fine',
  });
  const hostile = JSON.parse('{"__proto__": "swordfish"}') as { readonly [key: string]: string };
  expect(JSON.stringify(mask.maskJson(hostile))).toBe('{"__proto__":"***"}');
});

test('secrets that come later are masked from then on', () => {
  const mask = new SecretMask();
  expect(mask.longestBytes).toBe(0);
  mask.add(['swordfish']);
  mask.add(['swordfish', 'sword']);
  expect(mask.maskText('swordfish sword')).toBe('*** ***');
  expect(mask.longestBytes).toBe(9);
});

test('a mask never holds a secret with a line break, nor one that is too short or its own replacement', () => {
  const mask = new SecretMask(['first line\nsecond line', 'abc', '****']);
  expect(mask.maskText('first line / second line / abc ****')).toBe('*** / *** / abc ****');
});

test('values are secret by their name, whatever its case; others are not', () => {
  expect(
    secretsOf({
      OPENAI_API_KEY: 'sk-123456',
      github_token: 'ghp_abc',
      MyPassword: 'hunter22',
      DB_PASSWD: 'pass-word',
      Authorization: 'Bearer eyJhbGciOi',
      SSH_CREDENTIALS: 'ssh-cred',
      CLIENT_SECRET: '  padded-secret \n',
      PRELOOP_AGENT_PROMPT_0: 'write a poem about keys',
      PRELOOP_RUNNER_SCRIPT: 'echo hello world',
      PATH: '/usr/bin',
    }).sort(),
  ).toEqual(
    [
      'sk-123456',
      'ghp_abc',
      'hunter22',
      'pass-word',
      'Bearer eyJhbGciOi',
      'eyJhbGciOi',
      'ssh-cred',
      'padded-secret',
    ].sort(),
  );
});

test('short values and ordinary words are not secret, whatever their name', () => {
  expect(
    secretsOf({ TOKEN: 'abc', USE_KEY: 'true', AUTH: 'None', KEY: ' ', SECRET_MODE: 'disabled' }),
  ).toEqual([]);
});

test('strings under a secret name inside a JSON value are secret', () => {
  expect(
    secretsOf({
      MCP_CONFIG_JSON: JSON.stringify({
        servers: [
          {
            url: 'https://mcp.example/v1',
            headers: { 'X-Api-Key': 'mcp-key-1', Accept: 'text/html' },
          },
        ],
        auth: { user: 'someone', extra: { deep: 'nested-secret' } },
      }),
    }).sort(),
  ).toEqual(['mcp-key-1', 'nested-secret', 'someone']);
});

test('a JSON value with a secret name is secret whole, and in its longer strings', () => {
  const value = JSON.stringify({ id: 'short', pin: 'long enough' });
  const secrets = secretsOf({ CLOUD_CREDENTIALS: value });
  expect(secrets).toContain(value);
  expect(secrets).toContain('long enough');
  expect(secrets).not.toContain('short');
});

test('user-info of addresses is secret in any value, also as it is written decoded', () => {
  expect(
    secretsOf({
      DATABASE_URL: 'postgres://app:p%40ssword@db.internal:5432/app',
      REMOTE:
        'clone https://x-access-token:ghs_abcdef@github.com/o/r.git and ssh://git@github.com/o/r',
      BARE: 'https://ghp_0123456789@github.com',
      GIT_CLONE_CONFIG: '{"url":"https://u:nested-pw@host/x"}',
    }).sort(),
  ).toEqual(
    [
      'app:p%40ssword',
      'app:p@ssword',
      'p%40ssword',
      'p@ssword',
      'x-access-token:ghs_abcdef',
      'ghs_abcdef',
      'ghp_0123456789',
      'u:nested-pw',
      'nested-pw',
    ].sort(),
  );
});

test('of a secret with several lines every longer line is secret, and its form inside JSON', () => {
  const key = '-----BEGIN KEY-----\nMIIEabcdefgh\nshort\n-----END KEY-----\n';
  const secrets = secretsOf({ DEPLOY_KEY: key });
  const mask = new SecretMask(secrets);
  expect(mask.maskText('MIIEabcdefgh')).toBe('***');
  expect(mask.maskText('short')).toBe('short');
  expect(mask.maskText(JSON.stringify({ deploy: key }))).toBe('{"deploy":"***\\n"}');
});

test('secrets come longest first and once', () => {
  const secrets = secretsOf({ A_KEY: 'abcd', B_KEY: 'abcdefgh', C_KEY: 'abcd' });
  expect(secrets).toEqual(['abcdefgh', 'abcd']);
});

test('every value that the owner lets through by name is secret, whatever its name and the case of it', () => {
  const environment = {
    DEPLOY_TARGET: 'production-7',
    Settings: '{"pin":"long enough"}',
    LINES: 'first line\nsecond line',
    SHORT: 'abc',
    SWITCH: 'true',
    HOME: '/home/ada',
  };
  const names = ['DEPLOY_TARGET', 'SETTINGS', 'LINES', 'SHORT', 'SWITCH', 'MISSING'];
  const mask = new SecretMask(secretsOf(environment, names));
  expect(
    mask.maskText(
      'production-7, {"pin":"long enough"}, long enough, first line, second line, abc, true, /home/ada',
    ),
  ).toBe('***, ***, ***, ***, ***, abc, true, /home/ada');
  expect(secretsOf(environment)).toEqual([]);
});

test('of a text that goes on, what may begin a secret at its end is left out, and no half character stays', () => {
  const mask = new SecretMask(['swordfish-é']);
  const text = 'a swordfish-é and a swordfish-é';
  for (let chars = 0; chars <= text.length; chars++) {
    const shown = mask.maskCut(text.slice(0, chars));
    expect('a *** and a ***'.startsWith(shown)).toBe(true);
  }
  expect(mask.maskCut('é'.repeat(20))).toMatch(/^é+$/);
  expect(new SecretMask().maskCut('all of it')).toBe('all of it');
});
