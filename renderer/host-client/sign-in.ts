/**
 * Signing in: the single-use code in the address becomes a token, which is kept for this tab alone
 * (`sessionStorage` is kept apart by port, which a cookie is not). Owns neither socket nor words.
 */
import { SESSION_PATH, signedInSchema } from '../../main/contract/frames.ts';

const TOKEN_KEY = 'runner-host.token';
const CODE = /^#code=(.+)$/;

/** What signing in needs of the browser; given so that it can be tried without one. */
export interface SignInPorts {
  readonly hash: () => string;
  /** Takes the code out of the address and out of the history. */
  readonly cleanAddress: () => void;
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
}

export type SignInResult =
  | { readonly kind: 'signed_in'; readonly token: string }
  | { readonly kind: 'signed_out'; readonly why: 'no_code' | 'code_refused' }
  | { readonly kind: 'unreachable' };

/** A code in the address wins over a kept token: whoever opens a new address means it. */
export async function signIn(ports: SignInPorts): Promise<SignInResult> {
  const code = CODE.exec(ports.hash())?.[1];
  const kept = ports.storage.getItem(TOKEN_KEY);
  if (code === undefined) {
    if (kept === null) return { kind: 'signed_out', why: 'no_code' };
    return { kind: 'signed_in', token: kept };
  }
  let response: Response;
  try {
    response = await ports.fetch(SESSION_PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: decodeURIComponent(code) }),
    });
  } catch {
    return { kind: 'unreachable' };
  }
  ports.cleanAddress();
  if (!response.ok) {
    // An old address opened again in a tab that is signed in already is no reason to sign out.
    if (kept !== null) return { kind: 'signed_in', token: kept };
    return { kind: 'signed_out', why: 'code_refused' };
  }
  const { token } = signedInSchema.parse(await response.json());
  ports.storage.setItem(TOKEN_KEY, token);
  return { kind: 'signed_in', token };
}

export function forgetToken(storage: SignInPorts['storage']): void {
  storage.removeItem(TOKEN_KEY);
}
