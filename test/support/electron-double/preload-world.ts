/** Runs the built preload in a page, before the page's own scripts, with what Electron gives a sandboxed one. */

/** The binding's name is taken off the window before the page can see it. */
export const BINDING = '__electronDoubleInvoke';

/**
 * A script for every document. Sub frames get no preload, as with `nodeIntegrationInSubFrames` off.
 *
 * @param preload text of the built CommonJS bundle
 */
export function preloadScript(preload: string): string {
  return `(() => {
  const invoke = globalThis.${BINDING};
  delete globalThis.${BINDING};
  if (globalThis.top !== globalThis) return;
  const refuse = (name, object) => new Proxy(object, {
    get(target, key) {
      if (!(key in target)) throw new Error('The Electron double has no ' + name + '.' + String(key));
      return target[key];
    },
  });
  // What crosses the context bridge is a copy: functions are wrapped, values cloned, objects frozen.
  const crossing = (value) => {
    if (typeof value === 'function') return async (...args) => structuredClone(await value(...structuredClone(args)));
    if (typeof value !== 'object' || value === null) return value;
    const copy = Array.isArray(value) ? value.map(crossing) : Object.fromEntries(Object.entries(value).map(([key, part]) => [key, crossing(part)]));
    return Object.freeze(copy);
  };
  const electron = refuse('electron', {
    contextBridge: refuse('contextBridge', {
      exposeInMainWorld(name, api) {
        if (Object.hasOwn(globalThis, name)) throw new Error('Cannot bind an API on top of an existing property on the window object');
        Object.defineProperty(globalThis, name, { value: crossing(api), enumerable: true });
      },
    }),
    ipcRenderer: refuse('ipcRenderer', {
      async invoke(channel, ...args) {
        const { result, problem } = await invoke({ channel, args: structuredClone(args) });
        if (problem !== undefined) throw new Error(problem);
        return result;
      },
    }),
  });
  const require = (name) => {
    if (name !== 'electron') throw new Error('module not found: ' + name);
    return electron;
  };
  const module = { exports: {} };
  (function (exports, require, module) {
${preload}
  })(module.exports, require, module);
})();`;
}
