// @ts-check
/** Runs first in a utility process: it has `process.parentPort`, none of Node's channel, and no life without its parent. */

const send = process.send?.bind(process);
/** @type {((event: { data: unknown }) => void)[]} */
const listeners = [];
/** @type {unknown[]} */
const early = [];

process.on('message', (data) => {
  if (listeners.length === 0) early.push(data);
  else for (const listener of listeners) listener({ data });
});
// Chromium ends a utility process with its parent, asking nobody.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

Object.defineProperty(process, 'parentPort', {
  value: {
    /** @param {unknown} message */
    postMessage(message) {
      // What is a Buffer here arrives as plain bytes there, as by Electron's clone.
      send?.(structuredClone(message), undefined, {}, () => undefined);
    },
    /**
     * @param {string} event
     * @param {(event: { data: unknown }) => void} listener
     */
    on(event, listener) {
      if (event !== 'message') throw new Error(`parentPort has no event ${event} here`);
      listeners.push(listener);
      for (const data of early.splice(0)) listener({ data });
    },
  },
});
Object.defineProperty(process, 'send', { value: undefined });
