/**
 * What happens after `kill -9` in a restore. If it was killed before the swap, nothing in the target has changed, and
 * the next restore to it claims what was unpacked: work-folder.ts. If it was killed in the swap, the target is half old
 * and half new, so the swap is completed or undone before anything else uses the folder: when the program starts, and,
 * for a disk that wasn't mounted then, before the next use.
 */
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { foldersOnDisk, overlaps } from '../../core/folder-lock';
import { localFileError } from '../../fs/local-file-error';
import type { CallOptions, Clock } from '../../types';
import { realPathOf } from '../../fs/durable';
import { type SwapOutcome, recoverSwap } from './swap';
import { type SwapRecords, checkJournal, proofOf } from './swap-journal';
import { type ClaimOptions, WorkFolder } from './work-folder';

export interface FinishedSwap extends SwapOutcome {
  target: string;
}

export interface SwapContext {
  records: SwapRecords;
  clock: Clock;
  onFinished?: ((swap: FinishedSwap) => void) | undefined;
}

/**
 * Finishes the interrupted swaps in folders that overlap with a path, after the restores that are running there.
 * @param path of a file or folder; undefined for all
 * @throws `local_file` or `conflict` if one can't be finished, or if one without a record was in the folder or in one
 *   that contains it: nothing may use the folder then
 */
export async function finishSwaps(
  context: SwapContext,
  path: string | undefined,
  call: CallOptions = {},
): Promise<void> {
  const place = path === undefined ? undefined : await realPathOf(path);
  await finishRecordedSwaps(context, place, call);
  if (place === undefined) return;
  // Not of a file, which would need its large folder to be read once more.
  const isFile = await stat(place).then(
    (stats) => stats.isFile(),
    () => false,
  );
  for (let target = isFile ? dirname(place) : place; ; target = dirname(target)) {
    await WorkFolder.checkAll(target, claimOptions(context, target, call));
    if (dirname(target) === target) return;
  }
}

async function finishRecordedSwaps(
  context: SwapContext,
  place: string | undefined,
  call: CallOptions,
): Promise<void> {
  const targets = [...context.records.keys()];
  const affected = targets.filter((target) => place === undefined || overlaps(target, place));
  // All of them wait at once, so that work that begins later waits for them.
  const finishing = affected.map((target) =>
    foldersOnDisk.run(target, () => finishSwap(context, target, call), call),
  );
  for (const { reason, status } of (await Promise.allSettled(finishing)) as PromiseRejectedResult[])
    if (status === 'rejected') throw reason;
}

/** For {@link WorkFolder}: a folder with old content is only claimed if there is a record of its swap. */
export function claimOptions(
  { records, clock }: SwapContext,
  target: string,
  { signal }: Pick<CallOptions, 'signal'>,
): ClaimOptions {
  return {
    clock,
    signal,
    check: (work) => checkJournal({ target, work }, records),
    proof: () => proofOf(target, records),
  };
}

async function finishSwap(context: SwapContext, target: string, call: CallOptions): Promise<void> {
  const { records, onFinished } = context;
  if (records.get(target) === undefined) return;
  const claimed: WorkFolder[] = [];
  const outcomes: SwapOutcome[] = [];
  try {
    await WorkFolder.claimAll(target, claimed, claimOptions(context, target, call));
    for (const folder of claimed) {
      const outcome = await recoverSwap({ target, work: folder.ownPath }, records);
      if (outcome) outcomes.push(outcome);
      await folder.clear();
      if ((await folder.parts()).length === 0) await folder.remove();
    }
    // Without a folder, the disk may not be mounted yet.
    if (claimed.length > 0) await records.delete(target);
  } catch (error) {
    throw localFileError(error, target);
  } finally {
    for (const folder of claimed) await folder.close();
    for (const outcome of outcomes) onFinished?.({ target, ...outcome });
  }
}
