/** Who is told that something shown may have changed. Says what to read anew, never what it became. */

/** `job`, `log` and `conversation` are followed by the job's id. */
export type Subject =
  | 'overview'
  | 'jobs'
  | 'permissions'
  | 'health'
  | 'events'
  | 'profiles'
  | 'profile try'
  | `job ${string}`
  | `log ${string}`
  | `conversation ${string}`;

export class Subjects {
  readonly #watchers = new Map<Subject, Set<() => void>>();

  touch(...subjects: readonly Subject[]): void {
    for (const subject of subjects)
      for (const changed of [...(this.#watchers.get(subject) ?? [])]) changed();
  }

  /** Every watched subject that passes. */
  touchAll(passes: (subject: Subject) => boolean): void {
    this.touch(...[...this.#watchers.keys()].filter(passes));
  }

  watch(subject: Subject, changed: () => void): () => void {
    const entry = (): void => changed();
    const watchers = this.#watchers.get(subject) ?? new Set();
    this.#watchers.set(subject, watchers.add(entry));
    return () => {
      watchers.delete(entry);
      if (watchers.size === 0 && this.#watchers.get(subject) === watchers)
        this.#watchers.delete(subject);
    };
  }
}
