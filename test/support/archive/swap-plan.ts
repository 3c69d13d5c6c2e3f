/** Plans of swaps for tests: short enough for memory. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readJsonLines } from '../../../src/fs/json-lines';
import { swap } from '../../../src/backup/restore/swap';
import {
  type MergedFolder,
  type SwapPlaces,
  type SwapPolicy,
  type SwapRecords,
  type SwapStep,
  commitJournal,
  createDraft,
} from '../../../src/backup/restore/swap-journal';
import { planSwap } from '../../../src/backup/restore/swap-plan';

export interface SwapPlan {
  moves: string[];
  folders: MergedFolder[];
}

export async function planOf(places: SwapPlaces): Promise<SwapPlan> {
  await planSwap({ ...places, policy: 'replace', isIgnored: () => false });
  const draft = path.join(places.work, 'journal.draft');
  const plan: SwapPlan = { moves: [], folders: [] };
  for await (const line of readJsonLines(draft)) {
    const step = line as SwapStep | { version: number };
    if ('move' in step) plan.moves.push(step.move);
    if ('folder' in step) plan.folders.push(step.folder);
  }
  await rm(draft);
  return plan;
}

async function writeDraft(work: string, { moves, folders }: SwapPlan, policy: SwapPolicy): Promise<void> {
  const draft = await createDraft(work, policy);
  for (const move of moves) await draft.add({ move });
  for (const folder of folders) await draft.add({ folder });
  await draft.close({ flush: true });
}

export async function swapAs(
  places: SwapPlaces,
  plan: SwapPlan,
  policy: SwapPolicy,
  onMovedAside?: (paths: string[]) => void,
): Promise<void> {
  await writeDraft(places.work, plan, policy);
  await swap(places, new Map(), onMovedAside);
}

/** What a run leaves that is killed before the first move. */
export async function writeJournal(places: SwapPlaces, plan: SwapPlan, records: SwapRecords): Promise<void> {
  await writeDraft(places.work, plan, 'replace');
  await commitJournal(places, records);
}
