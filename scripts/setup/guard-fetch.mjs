// @ts-check
/** `node --import` this before a program that fetches something, so that it ends where the network keeps silent. */
import { guarded } from './stall-guard.mjs';

const SILENCE_MS = 15_000;

// An assignment would be read as a declaration of another `fetch`.
Reflect.set(globalThis, 'fetch', guarded(fetch, SILENCE_MS));
