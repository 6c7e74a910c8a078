// @ts-check
/**
 * Loaded into a measured process with --import. Notes each firing of each timer by what armed it, Node's own
 * included; SIGUSR2 writes them as a JSON line to BENCH_PROBE_FILE and starts over. Nothing of it runs in between.
 */
import { createHook } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';

const file = process.env['BENCH_PROBE_FILE'];
if (file === undefined) throw new Error('BENCH_PROBE_FILE is not set');

/** Of the stack that armed it: enough to tell two users of one helper apart. */
const FRAMES = 6;
/** Timers by their async id. @type {Map<number, string>} */
const armed = new Map();
/** @type {Map<string, { fires: number, lastMs: number, shortestMs: number | null }>} */
let fired = new Map();

createHook({
  init(id, type) {
    if (type === 'Timeout') armed.set(id, armedBy());
  },
  before(id) {
    const by = armed.get(id);
    if (by === undefined) return;
    const nowMs = performance.now();
    const known = fired.get(by);
    const sinceMs = known === undefined ? Number.POSITIVE_INFINITY : nowMs - known.lastMs;
    const shortestMs = Math.min(known?.shortestMs ?? Number.POSITIVE_INFINITY, sinceMs);
    fired.set(by, {
      fires: (known?.fires ?? 0) + 1,
      lastMs: nowMs,
      shortestMs: Number.isFinite(shortestMs) ? shortestMs : null,
    });
  },
  destroy(id) {
    armed.delete(id);
  },
}).enable();

/** @returns {string} */
function armedBy() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = limit;
  return stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at ') && !/timer-probe|async_hooks/.test(line))
    .filter((line) => !/\(?node:(internal\/)?timers/.test(line))
    .map((line) => line.replace(/^at (async )?/, '').replace(/\(?file:.*\//, '('))
    .slice(0, FRAMES)
    .join(' < ');
}

process.on('SIGUSR2', () => {
  const timers = [...fired].map(([by, { fires, shortestMs }]) => ({ by, fires, shortestMs }));
  fired = new Map();
  appendFileSync(file, `${JSON.stringify(timers)}\n`);
});
