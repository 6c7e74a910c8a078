/** Every step of host.db's shape, in order; the file's version is how many were applied. */
import { initial } from './0001-initial.ts';
import { jobListing } from './0002-job-listing.ts';
import { pinnedJobs } from './0003-pinned-jobs.ts';
import { events } from './0004-events.ts';
import { batchSalt } from './0005-batch-salt.ts';
import { notedEngines } from './0006-noted-engines.ts';
import { hostJobs } from './0007-host-jobs.ts';
import { hostDirectories } from './0008-host-directories.ts';

/** Text in modules, not `.sql` files: a bundle and plain Node then read it alike. */
export const MIGRATIONS: readonly string[] = [
  initial,
  jobListing,
  pinnedJobs,
  events,
  batchSalt,
  notedEngines,
  hostJobs,
  hostDirectories,
];
