/** Runs one transfer with the faults of a case and checks its result. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AddedFault } from '../local-drive/faults/faults';
import type { TransferRunner } from './runners';
import type { FaultCase, TransferSubject } from './fault-case';
import type { TransferEnv } from './transfer-env';

/** The value of a transfer, or its error code. */
type TransferResult = { value: unknown } | { code: string };

const OLD = Buffer.from('what was there before');

/** @returns unexpected results */
export type TransferRun = (
  context: { env: TransferEnv; runner: TransferRunner },
  faultCase: FaultCase,
  size: number,
) => Promise<string[]>;

export function uploadRun(from: 'disk' | 'memory'): TransferRun {
  return async ({ env, runner }, faultCase, size) => {
    const content = from === 'disk' ? { path: await env.localFile(size) } : { data: env.content(size) };
    const faults = injectFaults(env, faultCase, { size, file: {} });
    const result = await resultOf(runner.upload(content, env.folderId));
    const problems = [...checkError(faultCase, result), ...checkFaultsHit(env, faults)];
    const files = await env.filesOnDrive();
    problems.push(
      ...('code' in result
        ? checkNothingUploaded(files)
        : checkOnlyFile(files, result.value, env.content(size))),
    );
    await env.deleteUploads();
    return problems;
  };
}

export function downloadRun(to: 'disk' | 'memory'): TransferRun {
  return async ({ env, runner }, faultCase, size) => {
    const folder = await mkdtemp(path.join(env.disk, 'target-'));
    const target = path.join(folder, 'target');
    await writeFile(target, OLD);
    const file = await env.remoteMetadata(size);
    const id = file['id'] ?? '';
    const faults = injectFaults(env, faultCase, { size, file });
    const problems = new Set<string>();
    // Checked with each request: the target must not change before the download is complete.
    const when = (): boolean => (
      readFileSync(target).equals(OLD) || problems.add('target changed too early'),
      false
    );
    env.drive.faults.add({ kind: 'headers', headers: {}, match: { when } });
    const result = await resultOf(
      to === 'disk' ? runner.downloadToDisk(id, target) : runner.downloadToMemory(id),
    );
    for (const problem of [...checkError(faultCase, result), ...checkFaultsHit(env, faults)])
      problems.add(problem);
    const content = env.content(size);
    if (to === 'memory' && 'value' in result && !content.equals(result.value as Buffer))
      problems.add('wrong bytes');
    const isReplaced = to === 'disk' && 'value' in result;
    for (const problem of checkTargetFolder(
      await env.filesOnDisk(folder),
      isReplaced ? content : OLD,
      result,
    ))
      problems.add(problem);
    await rm(folder, { recursive: true });
    return [...problems];
  };
}

function injectFaults(env: TransferEnv, faultCase: FaultCase, subject: TransferSubject): AddedFault[] {
  env.drive.faults.clear();
  env.drive.requests.clear();
  return faultCase.faults(subject).map((fault) => env.drive.faults.add(fault));
}

async function resultOf(work: Promise<unknown>): Promise<TransferResult> {
  try {
    return { value: await work };
  } catch (error) {
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    return { code: typeof code === 'string' ? code : String(error) };
  }
}

function checkError({ expectedError }: FaultCase, result: TransferResult): string[] {
  const actual = 'code' in result ? result.code : 'success';
  const expected: readonly string[] = [expectedError ?? 'success'].flat();
  return expected.includes(actual) ? [] : [`${actual} instead of ${expected.join(' or ')}`];
}

/** A fault that was never applied tests nothing. */
function checkFaultsHit({ drive }: TransferEnv, faults: readonly AddedFault[]): string[] {
  const unused = faults.filter(({ hits }) => hits === 0).length;
  drive.faults.clear();
  return unused === 0 ? [] : [`${unused} of ${faults.length} faults never applied`];
}

function checkNothingUploaded(files: ReadonlyMap<string, Buffer>): string[] {
  return files.size === 0 ? [] : [`${files.size} files on the drive after an error`];
}

function checkOnlyFile(files: ReadonlyMap<string, Buffer>, id: unknown, content: Buffer): string[] {
  if (files.size !== 1) return [`${files.size} files on the drive`];
  const [[actualId, bytes] = ['', Buffer.alloc(0)]] = files;
  if (actualId !== id) return ['wrong file id'];
  return bytes.equals(content) ? [] : ['wrong bytes on the drive'];
}

/** After an error, part files may remain for resuming, except after a checksum mismatch. */
function checkTargetFolder(files: Map<string, Buffer>, expected: Buffer, result: TransferResult): string[] {
  const isExpected = files.get('target')?.equals(expected) ?? false;
  files.delete('target');
  const mayResume = 'code' in result && result.code !== 'checksum_mismatch';
  const others = [...files.keys()].filter((name) => !mayResume || !/\.part\b/.test(name));
  return [...(isExpected ? [] : ['wrong target content']), ...others.map((name) => `leftover: ${name}`)];
}
