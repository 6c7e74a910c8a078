/** Makes an object refuse what it does not have: the double may not be looser than Electron by silence. */

/** Looked for by the language or by a test's printing, never by the shell. */
const LOOKED_FOR_BY_OTHERS: readonly PropertyKey[] = ['then', 'toJSON', 'asymmetricMatch'];

export function strict<T extends object>(name: string, target: T): T {
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key, object);
      if (!(key in object) && typeof key === 'string' && !LOOKED_FOR_BY_OTHERS.includes(key))
        throw new Error(`The Electron double has no ${name}.${key}`);
      // Private fields are the target's own, and a proxy has none.
      if (typeof value !== 'function' || isClass(value)) return value;
      return (...args: unknown[]): unknown => Reflect.apply(value, object, args);
    },
    set(_object, key) {
      throw new Error(`The Electron double does not let ${name}.${String(key)} be set`);
    },
  });
}

const isClass = (value: object): boolean =>
  /^class\b/.test(Function.prototype.toString.call(value));

/** @throws where `options` has a key that is not of `known` */
export function onlyKeys(what: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new Error(`The Electron double does not know ${what}.${unknown}`);
}
