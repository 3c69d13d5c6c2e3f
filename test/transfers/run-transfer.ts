/** One cell of the table: a transfer of one size through one row's faults, and whether it came to what it should. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AddedFault } from '../local-drive/faults/faults';
import type { TransferRunner } from './runners';
import type { FaultCase, TransferSubject } from './fault-case';
import type { TransferEnv } from './transfer-env';

export interface Outcome {
  /** What isn't as it should be. */
  problems: string[];
  /** Requests that carried content, or asked for it. */
  requests: number;
}

/** What a transfer ended with: what it gave, or the code it failed with. */
type TransferResult = { value: unknown } | { code: string };

const OLD = Buffer.from('what was there before');

export type TransferRun = (
  at: { stage: TransferEnv; performer: TransferRunner },
  row: FaultCase,
  size: number,
) => Promise<Outcome>;

export function uploadRun(from: 'disk' | 'buffer'): TransferRun {
  return async ({ stage, performer }, row, size) => {
    const content = from === 'disk' ? { path: await stage.localFile(size) } : { data: stage.content(size) };
    const faults = injectFaults(stage, row, { size, file: {} });
    const ending = await resultOf(performer.upload(content, stage.folderId));
    const requests = stage.drive.requests.all.filter(
      ({ query, headers }) =>
        query.includes('uploadType=multipart') || /^bytes \d/.test(headers['content-range'] ?? ''),
    );
    const problems = [...checkError(row, ending), ...checkFaultsHit(stage, faults)];
    const there = await stage.filesOnDrive();
    problems.push(
      ...('code' in ending
        ? checkNothingUploaded(there)
        : checkOnlyFile(there, ending.value, stage.content(size))),
    );
    await stage.deleteUploads();
    return { problems, requests: requests.length };
  };
}

export function downloadRun(to: 'disk' | 'memory'): TransferRun {
  return async ({ stage, performer }, row, size) => {
    const folder = await mkdtemp(path.join(stage.disk, 'target-'));
    const target = path.join(folder, 'target');
    await writeFile(target, OLD);
    const file = await stage.remoteMetadata(size);
    const id = file['id'] ?? '';
    const faults = injectFaults(stage, row, { size, file });
    const problems = new Set<string>();
    // Asked with each request: whether the target is touched before it is whole.
    const when = (): boolean => (readFileSync(target).equals(OLD) || problems.add('touched early'), false);
    stage.drive.faults.add({ kind: 'headers', headers: {}, match: { when } });
    const ending = await resultOf(
      to === 'disk' ? performer.downloadToDisk(id, target) : performer.downloadToMemory(id),
    );
    const requests = stage.drive.requests.all.filter(({ query }) => query.includes('alt=media'));
    for (const problem of [...checkError(row, ending), ...checkFaultsHit(stage, faults)])
      problems.add(problem);
    const content = stage.content(size);
    if (to === 'memory' && 'value' in ending && !content.equals(ending.value as Buffer))
      problems.add('other bytes');
    const isReplaced = to === 'disk' && 'value' in ending;
    for (const problem of checkTargetFolder(
      await stage.filesOnDisk(folder),
      isReplaced ? content : OLD,
      ending,
    ))
      problems.add(problem);
    await rm(folder, { recursive: true });
    return { problems: [...problems], requests: requests.length };
  };
}

function injectFaults(stage: TransferEnv, row: FaultCase, subject: TransferSubject): AddedFault[] {
  stage.drive.faults.clear();
  stage.drive.requests.clear();
  return row.faults(subject).map((fault) => stage.drive.faults.add(fault));
}

async function resultOf(work: Promise<unknown>): Promise<TransferResult> {
  try {
    return { value: await work };
  } catch (error) {
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    return { code: typeof code === 'string' ? code : String(error) };
  }
}

function checkError({ expectedError }: FaultCase, ending: TransferResult): string[] {
  const came = 'code' in ending ? ending.code : 'arrived';
  const wanted: readonly string[] = [expectedError ?? 'arrived'].flat();
  return wanted.includes(came) ? [] : [`${came} instead of ${wanted.join(' or ')}`];
}

/** A fault that never struck shows nothing. */
function checkFaultsHit({ drive }: TransferEnv, faults: readonly AddedFault[]): string[] {
  const idle = faults.filter(({ hits }) => hits === 0).length;
  drive.faults.clear();
  return idle === 0 ? [] : [`${idle} of ${faults.length} faults never struck`];
}

function checkNothingUploaded(there: ReadonlyMap<string, Buffer>): string[] {
  return there.size === 0 ? [] : [`${there.size} files on the drive after an error`];
}

function checkOnlyFile(there: ReadonlyMap<string, Buffer>, id: unknown, content: Buffer): string[] {
  if (there.size !== 1) return [`${there.size} files on the drive`];
  const [[is, bytes] = ['', Buffer.alloc(0)]] = there;
  if (is !== id) return ['the id of another file'];
  return bytes.equals(content) ? [] : ['other bytes on the drive'];
}

/** After an error there may be what resuming needs, unless it is known to be wrong. */
function checkTargetFolder(there: Map<string, Buffer>, wanted: Buffer, ending: TransferResult): string[] {
  const isWhole = there.get('target')?.equals(wanted) ?? false;
  there.delete('target');
  const mayResume = 'code' in ending && ending.code !== 'checksum_mismatch';
  const others = [...there.keys()].filter((name) => !mayResume || !/\.part\b/.test(name));
  return [...(isWhole ? [] : ['another target']), ...others.map((name) => `left behind: ${name}`)];
}
