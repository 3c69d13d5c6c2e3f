/** What goes wrong on a simulated day. */
import type { Fault, LocalDrive } from '../local-drive';

export interface PlannedFault {
  title: string;
  /** Otherwise, during a list. */
  duringBackup: boolean;
  /** Whether the archive is uploaded in a session. */
  isLarge?: boolean;
  fault: Fault;
}

const UPLOAD = /\/upload\//;
const BACKUP = { duringBackup: true };
const LIST = { duringBackup: false };
const LARGE = { duringBackup: true, isLarge: true };
const LOST = { kind: 'lostResponse' } as const;
const UNAVAILABLE = { kind: 'error', reason: 'serviceUnavailable' } as const;

/** After a lost response, the service has processed the request. */
export const FAULTS: readonly PlannedFault[] = [
  { title: 'token response lost', ...LIST, fault: { ...LOST, match: { path: '/token' } } },
  { title: 'list failed', ...LIST, fault: { ...UNAVAILABLE, match: { method: 'GET' } } },
  { title: 'upload response lost', ...BACKUP, fault: { ...LOST, match: { path: UPLOAD } } },
  { title: 'upload failed', ...BACKUP, fault: { ...UNAVAILABLE, match: { path: UPLOAD } } },
  {
    ...{ title: 'upload interrupted', ...BACKUP },
    fault: { kind: 'resetRequest', bytes: 100, match: { path: UPLOAD } },
  },
  {
    ...{ title: 'backup rate-limited', ...BACKUP },
    // Not the renewal of the token, which would be one more token request.
    fault: { kind: 'error', reason: 'rateLimitExceeded', retryAfter: 2, match: { path: '/drive/v3/' } },
  },
  { title: 'session start lost', ...LARGE, fault: { ...LOST, match: { method: 'POST', path: UPLOAD } } },
  { title: 'session response lost', ...LARGE, fault: { ...LOST, match: { method: 'PUT', path: UPLOAD } } },
  { title: 'session failed', ...LARGE, fault: { ...UNAVAILABLE, match: { method: 'PUT', path: UPLOAD } } },
  {
    ...{ title: 'session interrupted', ...LARGE },
    fault: { kind: 'resetRequest', bytes: 1_000_000, match: { method: 'PUT', path: UPLOAD } },
  },
];

/** One machine in this many gets each of the faults. */
const GROUP = 50;

export function faultOf(machine: number): PlannedFault | undefined {
  return FAULTS[machine % GROUP];
}

/** @returns a function that removes the fault and returns how often it was applied */
export function addFault(drive: LocalDrive, { fault }: PlannedFault): () => number {
  const added = drive.faults.add(fault);
  return () => {
    added.remove();
    return added.hits;
  };
}
