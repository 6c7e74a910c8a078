/** Branded ids, and the only functions that make them. */

/** A job is one execution of the service; its id is the execution's UUID, as the service wrote it. */
export type JobId = string & { readonly brand: 'JobId' };
/** The runner row on the service. A UUID. */
export type RunnerId = string & { readonly brand: 'RunnerId' };

/** What a job id may look like: it becomes part of file, container and network names. */
const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** The job id in `text`, or undefined where it could not safely name a file or a container. */
export function toJobId(text: string): JobId | undefined {
  return ID_PATTERN.test(text) ? (text as JobId) : undefined;
}

/** The runner id in `text`, or undefined where it could not safely stand in an address. */
export function toRunnerId(text: string): RunnerId | undefined {
  return ID_PATTERN.test(text) ? (text as RunnerId) : undefined;
}
