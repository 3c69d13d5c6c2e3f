/** The code of the worker thread for snapshots: see snapshot-request.ts. */
import { serveJobs } from '../../core/threads/serve-jobs';
import { findSnapshots, inspectSnapshot, restoreSnapshot } from './read-jobs';
import { writeSnapshot } from './write-snapshot';

serveJobs({
  ...{ backup: writeSnapshot, snapshots: findSnapshots },
  ...{ restore: restoreSnapshot, check: inspectSnapshot, entries: inspectSnapshot },
});
