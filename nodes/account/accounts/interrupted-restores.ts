/**
 * The restores that were killed while they replaced files. The next start completes or undoes them:
 * src/backup/restore/interrupted-swaps.ts. Their list is in the user directory, where archives don't put anything, so it proves
 * that a hidden folder was left by a restore of this Node-RED. The secret that proves the same is beside it.
 */
import { randomBytes } from 'node:crypto';
import type { NodeAPI } from 'node-red';
import {
  DriveError,
  type FinishedSwap,
  type SwapContext,
  type SwapRecords,
  finishSwaps,
  isString,
  unrefClock,
} from '../../../src/index';
import { logWarning } from '../../shared/runtime/catalogue';
import { errorSummary } from '../../shared/runtime/error-message';
import { stateFile } from '../../shared/runtime/node-red-state';
import { shortList } from '../../shared/runtime/value-summary';
import type { StateFile } from '../../shared/runtime/state-file';

const NAME = '.cloud-drive-restores';
const SECTION = 'swaps';
/** Its keys are secrets. There is more than one if two Node-REDs with one user directory created theirs at once. */
const SECRETS = 'secrets';

class RestoreRecords implements SwapRecords {
  constructor(private readonly state: StateFile) {}

  get(target: string): string | undefined {
    const digest = this.state.get(SECTION, target);
    return isString(digest) ? digest : undefined;
  }

  keys(): string[] {
    return this.state.entries(SECTION).map(([target]) => target);
  }

  async secret(): Promise<string> {
    const [[existing] = []] = this.state.entries(SECRETS);
    if (existing !== undefined) return existing;
    const created = randomBytes(32).toString('hex');
    await this.state.set(SECRETS, created, true);
    return created;
  }

  /** @throws `local_file`: without the record, nobody could complete the restore after a power failure */
  async set(target: string, digest: string): Promise<void> {
    await this.state.set(SECTION, target, digest);
    const { problem } = this.state;
    if (!problem) return;
    const { file, reason } = problem;
    const params = { path: file, reason };
    throw new DriveError('local_file', { text: 'local_file_restore_record', params, reason });
  }

  delete(target: string): Promise<void> | undefined {
    return this.get(target) === undefined ? undefined : this.state.set(SECTION, target, undefined);
  }
}

/** Begins to complete the interrupted restores. Whatever uses their folders waits for that. */
export function interruptedRestores(RED: NodeAPI): Pick<SwapContext, 'records' | 'onFinished'> {
  const state = stateFile(RED, {
    name: NAME,
    unreadableText: 'state_unreadable_restores',
    notWritableText: 'state_not_writable_restores',
    // Also if credentials aren't encrypted, or if the credential secret changes.
    secret: () => NAME,
  });
  const records = new RestoreRecords(state);
  const onFinished = ({ target, isComplete, movedAside }: FinishedSwap): void => {
    logWarning(RED, isComplete ? 'restore_completed' : 'restore_undone', { path: target });
    if (movedAside.length > 0) {
      const params = { count: movedAside.length, files: shortList(movedAside) };
      logWarning(RED, 'restore_moved_aside', params);
    }
  };
  // Without an interrupted restore, the client isn't needed yet.
  if (records.keys().length > 0) {
    finishSwaps({ records, onFinished, clock: unrefClock }, undefined).catch((error: unknown) =>
      logWarning(RED, 'restore_unfinished', { reason: errorSummary(RED, error).message }),
    );
  }
  return { records, onFinished };
}
