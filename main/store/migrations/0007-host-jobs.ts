/** Finds the runs of one profile without reading every job: few jobs are local commands, so this index is small. */
export const hostJobs = /* sql */ `
CREATE INDEX job_of_profile ON job (lower(trim(json_extract(spec, '$.profileName'))), n)
  WHERE json_extract(spec, '$.kind') = 'host_exec';
`;
