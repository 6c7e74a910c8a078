/** Puts a function of ours in the place of one of Electron's. */

type Method = (...args: never[]) => unknown;

/** @param make gets what was there, bound to its owner */
export function replaced<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  make: (given: Owner[Name]) => Owner[Name],
): void {
  const given = owner[name] as Owner[Name] & Method;
  Object.defineProperty(owner, name, {
    value: make(given.bind(owner) as Owner[Name]),
    configurable: true,
    writable: true,
  });
}
