// @ts-check
/** `node --import` this: `import 'electron'` then gets the double. */
import { registerHooks } from 'node:module';

const double = new URL('./electron-module.ts', import.meta.url).href;

// Of Electron's own process; what the shell tells of itself reads them.
Object.defineProperties(process.versions, {
  electron: { value: 'double', enumerable: true },
  chrome: { value: 'double', enumerable: true },
});

registerHooks({
  resolve(specifier, context, next) {
    return specifier === 'electron'
      ? { url: double, shortCircuit: true }
      : next(specifier, context);
  },
});
