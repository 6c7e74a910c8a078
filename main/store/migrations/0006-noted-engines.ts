/**
 * From here on notes of leftovers may name their engine, which older versions do not read; those of before name
 * none. Pinned jobs are found without a look at all others.
 */
export const notedEngines = /* sql */ `
CREATE INDEX job_pinned ON job (n) WHERE pinned = 1;
`;
