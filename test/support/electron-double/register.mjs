// @ts-check
/** `node --import` this: `import 'electron'` then gets the double. */
import { registerHooks } from 'node:module';

const double = new URL('./electron-module.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    return specifier === 'electron'
      ? { url: double, shortCircuit: true }
      : next(specifier, context);
  },
});
