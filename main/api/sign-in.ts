/**
 * Who may use the local API. A code is shown once, to the person at this machine, and traded for a token; tokens are
 * kept as hashes, so that an open page survives a restart of the host and a copied data folder signs nobody in.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { Clock } from '../../runner-core/ports.ts';
import type { SettingsStore } from '../store/settings-store.ts';

/** 256 bits. */
const SECRET_BYTES = 32;
export const CODE_LIFE_MS = 60_000;
export const TOKEN_LIFE_MS = 30 * 24 * 3_600_000;
/** Codes not yet used, and pages signed in; the oldest go first. */
const MAX_CODES = 16;
export const MAX_TOKENS = 64;
/** Wrong codes in this time before every code is refused for the rest of it. */
export const MAX_FAILURES = 20;
export const FAILURES_WITHIN_MS = 60_000;
const SETTING = 'page_tokens';

const keptSchema = z.array(z.object({ hash: z.string().length(64), untilMs: z.number() }));
type Kept = z.infer<typeof keptSchema>;

/** A page signed in. `untilMs` is epoch ms and counts only at a start of the host; `endsAtMs` is on the monotonic clock. */
interface Token {
  readonly hash: string;
  readonly untilMs: number;
  readonly endsAtMs: number;
}

interface Code {
  readonly hash: Buffer;
  /** By the monotonic clock. */
  readonly untilMs: number;
}

export type SignedIn =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too_many' };

export interface SignInDeps {
  readonly clock: Clock;
  readonly settings: Pick<SettingsStore, 'get' | 'set'>;
  /** Random bytes; a test brings its own. */
  readonly secret?: () => Buffer;
}

export class SignIn {
  readonly #deps: SignInDeps;
  #codes: Code[] = [];
  #tokens: readonly Token[];
  /** For this run only: never stored. */
  readonly #runTokens: Buffer[] = [];
  #failures: number[] = [];

  constructor(deps: SignInDeps) {
    this.#deps = deps;
    const nowMs = deps.clock.nowMs();
    const atMs = deps.clock.monotonicMs();
    // No longer than a new one, however far the clock was set back while no host ran.
    this.#tokens = readKept(deps.settings.get(SETTING)).map(({ hash, untilMs }) => ({
      hash,
      untilMs,
      endsAtMs: atMs + Math.min(untilMs - nowMs, TOKEN_LIFE_MS),
    }));
  }

  /** A new code: good once, for CODE_LIFE_MS. */
  newCode(): string {
    const code = this.#newSecret();
    const untilMs = this.#deps.clock.monotonicMs() + CODE_LIFE_MS;
    this.#codes = [...this.#freshCodes(), { hash: hashOf(code), untilMs }].slice(-MAX_CODES);
    return code;
  }

  /** A token that lives as long as this object, for the command line. */
  newRunToken(): string {
    const token = this.#newSecret();
    this.#runTokens.push(hashOf(token));
    return token;
  }

  /** Trades a code for a token. A code that was used, is too old or was never given is `wrong`. */
  trade(code: string): SignedIn {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#failures = this.#failures.filter((atMs) => nowMs - atMs < FAILURES_WITHIN_MS);
    if (this.#failures.length >= MAX_FAILURES) return { kind: 'too_many' };
    const given = hashOf(code);
    const fresh = this.#freshCodes();
    // Every code is compared, each in constant time.
    const matching = fresh.filter(({ hash }) => timingSafeEqual(hash, given));
    this.#codes = fresh.filter((known) => !matching.includes(known));
    if (matching.length === 0) {
      this.#failures.push(nowMs);
      return { kind: 'wrong' };
    }
    return { kind: 'token', token: this.#newToken() };
  }

  isSignedIn(token: string): boolean {
    const given = hashOf(token);
    const kept = this.#livingTokens().map(({ hash }) => Buffer.from(hash, 'hex'));
    return [...kept, ...this.#runTokens].filter((hash) => timingSafeEqual(hash, given)).length > 0;
  }

  #newToken(): string {
    const token = this.#newSecret();
    const { clock, settings } = this.#deps;
    const made: Token = {
      hash: hashOf(token).toString('hex'),
      untilMs: clock.nowMs() + TOKEN_LIFE_MS,
      endsAtMs: clock.monotonicMs() + TOKEN_LIFE_MS,
    };
    this.#tokens = [...this.#livingTokens(), made].slice(-MAX_TOKENS);
    const kept: Kept = this.#tokens.map(({ hash, untilMs }) => ({ hash, untilMs }));
    settings.set(SETTING, JSON.stringify(kept));
    return token;
  }

  #livingTokens(): readonly Token[] {
    const nowMs = this.#deps.clock.monotonicMs();
    return this.#tokens.filter(({ endsAtMs }) => endsAtMs > nowMs);
  }

  #freshCodes(): Code[] {
    const nowMs = this.#deps.clock.monotonicMs();
    return this.#codes.filter(({ untilMs }) => untilMs > nowMs);
  }

  #newSecret(): string {
    const { secret = () => randomBytes(SECRET_BYTES) } = this.#deps;
    return secret().toString('base64url');
  }
}

/** Hashes are compared, so lengths and first characters of a secret tell nothing. */
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function readKept(text: string | undefined): Kept {
  try {
    return keptSchema.parse(JSON.parse(text ?? '[]'));
  } catch {
    // Whoever changed it: signing in again is all it costs.
    return [];
  }
}
