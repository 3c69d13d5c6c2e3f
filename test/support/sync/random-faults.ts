/** Random faults in a part of all requests. */
import type { Fault, LocalDrive } from '../../local-drive';
import type { Random } from '../random';

/** Each of them is temporary, or interrupts a transfer. */
const FAULTS: readonly Fault[] = [
  { kind: 'error', reason: 'backendError', status: 503 },
  { kind: 'error', reason: 'rateLimitExceeded', status: 403 },
  { kind: 'error', reason: 'internalError', status: 500 },
  { kind: 'reset' },
  { kind: 'lostResponse' },
  { kind: 'resetRequest', bytes: 100 },
  { kind: 'resetResponse', bytes: 100 },
  { kind: 'truncate', bytes: 50 },
];

/** @param probability of a fault in a request. @returns the number of requests with a fault so far */
export function addRandomFaults(drive: LocalDrive, random: Random, probability: number): () => number {
  let count = 0;
  for (const fault of FAULTS) {
    const when = (): boolean => {
      const isHit = random.chance(probability / FAULTS.length);
      if (isHit) count += 1;
      return isHit;
    };
    drive.faults.add({ ...fault, times: Number.MAX_SAFE_INTEGER, match: { when } });
  }
  return () => count;
}
