/** From the code in the address to a token, and to a clean address. */
import { expect, test } from 'vitest';
import { signIn, type SignInPorts } from '../../renderer/host-client/sign-in.ts';

interface Given {
  readonly hash: string;
  readonly kept?: string;
  readonly answer?: () => Promise<Response>;
}

function signInBench({ hash, kept, answer }: Given) {
  const stored = new Map<string, string>();
  if (kept !== undefined) stored.set('runner-host.token', kept);
  const asked: unknown[] = [];
  const bench = { stored, asked, cleaned: 0 };
  const ports: SignInPorts = {
    hash: () => hash,
    cleanAddress: () => (bench.cleaned += 1),
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
    fetch: (path, init) => {
      asked.push([path, init.method, init.body]);
      return (answer ?? (() => Promise.resolve(Response.json({ token: 'new' }))))();
    },
  };
  return Object.assign(bench, { ports });
}

test('a code becomes a token, which is kept, and leaves the address', async () => {
  const bench = signInBench({ hash: '#code=abc%2Bd' });
  expect(await signIn(bench.ports)).toEqual({ kind: 'signed_in', token: 'new' });
  expect(bench.asked).toEqual([['/api/session', 'POST', '{"code":"abc+d"}']]);
  expect([...bench.stored.values(), bench.cleaned]).toEqual(['new', 1]);
});

test('a kept token is used without asking', async () => {
  const bench = signInBench({ hash: '#/jobs', kept: 'old' });
  expect(await signIn(bench.ports)).toEqual({ kind: 'signed_in', token: 'old' });
  expect(bench.asked).toEqual([]);
});

test('without code and token the page is signed out', async () => {
  const bench = signInBench({ hash: '' });
  expect(await signIn(bench.ports)).toEqual({ kind: 'signed_out', why: 'no_code' });
});

const refused = () => Promise.resolve(new Response('', { status: 401 }));

test('a refused code signs out, but not a tab that is signed in already', async () => {
  const fresh = signInBench({ hash: '#code=used', answer: refused });
  expect(await signIn(fresh.ports)).toEqual({ kind: 'signed_out', why: 'code_refused' });
  expect(fresh.cleaned).toBe(1);
  const old = signInBench({ hash: '#code=used', kept: 'old', answer: refused });
  expect(await signIn(old.ports)).toEqual({ kind: 'signed_in', token: 'old' });
});

test('a host that does not answer leaves the code for the next try', async () => {
  const bench = signInBench({ hash: '#code=abc', answer: () => Promise.reject(new Error('down')) });
  expect(await signIn(bench.ports)).toEqual({ kind: 'unreachable' });
  expect(bench.cleaned).toBe(0);
});
