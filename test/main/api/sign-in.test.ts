import { expect, test } from 'vitest';
import { CODE_LIFE_MS, MAX_TOKENS, SignIn, TOKEN_LIFE_MS } from '../../../main/api/sign-in.ts';
import { MemorySettings } from '../../support/api-bench.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function bench() {
  const clock = new FakeClock(1_000_000);
  const settings = new MemorySettings();
  const open = (): SignIn => new SignIn({ clock, settings });
  return { clock, settings, open, signIn: open() };
}

function tokenOf(signIn: SignIn): string {
  const traded = signIn.trade(signIn.newCode());
  if (traded.kind !== 'token') throw new Error(traded.kind);
  return traded.token;
}

test('codes and tokens have 256 bits, and no two are alike', () => {
  const { signIn } = bench();
  const made = [signIn.newCode(), signIn.newCode(), signIn.newRunToken(), tokenOf(signIn)];
  expect(made.map((secret) => Buffer.from(secret, 'base64url').length)).toEqual([32, 32, 32, 32]);
  expect(new Set(made).size).toBe(4);
});

test('a token is good for 30 days, over starts of the host, and then no more', async () => {
  const { clock, signIn, open } = bench();
  const token = tokenOf(signIn);
  await clock.advance(TOKEN_LIFE_MS - 1);
  expect(open().isSignedIn(token)).toBe(true);
  await clock.advance(1);
  expect([signIn.isSignedIn(token), open().isSignedIn(token)]).toEqual([false, false]);
});

test.each([-3_600_000, TOKEN_LIFE_MS])(
  'a wall clock set by %i ms while the host runs neither ends a token nor prolongs it',
  async (jumpMs) => {
    const { clock, signIn } = bench();
    const token = tokenOf(signIn);
    clock.jumpWall(jumpMs);
    await clock.advance(TOKEN_LIFE_MS - 1);
    expect(signIn.isSignedIn(token)).toBe(true);
    await clock.advance(1);
    expect(signIn.isSignedIn(token)).toBe(false);
  },
);

test('a clock set back while no host ran gives a token no more than a whole life', async () => {
  const { clock, signIn, open } = bench();
  const token = tokenOf(signIn);
  clock.jumpWall(-2 * TOKEN_LIFE_MS);
  const next = open();
  await clock.advance(TOKEN_LIFE_MS);
  expect(next.isSignedIn(token)).toBe(false);
});

test('the token of the command line ends with the run', () => {
  const { signIn, open, settings } = bench();
  const token = signIn.newRunToken();
  expect(signIn.isSignedIn(token)).toBe(true);
  expect(open().isSignedIn(token)).toBe(false);
  expect(settings.values.size).toBe(0);
});

test('so many pages are kept signed in, the newest of them', () => {
  const { signIn } = bench();
  const tokens = Array.from({ length: MAX_TOKENS + 1 }, () => tokenOf(signIn));
  expect(tokens.map((token) => signIn.isSignedIn(token))).toEqual([
    false,
    ...tokens.slice(1).map(() => true),
  ]);
});

test('a code does not live longer because the wall clock was set back', async () => {
  const { clock, signIn } = bench();
  const code = signIn.newCode();
  clock.jumpWall(-3_600_000);
  await clock.advance(CODE_LIFE_MS);
  expect(signIn.trade(code).kind).toBe('wrong');
});

test('stored tokens that do not read sign nobody in and keep nobody out', () => {
  const { settings, open } = bench();
  settings.set('page_tokens', '[{"hash":"short"}]');
  const signIn = open();
  expect(signIn.isSignedIn('')).toBe(false);
  expect(signIn.isSignedIn(tokenOf(signIn))).toBe(true);
});
