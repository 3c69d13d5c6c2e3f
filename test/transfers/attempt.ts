/** One cell of the table: a transfer of one size through one row's faults, and whether it came to what it should. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDriveError } from '../../src/index';
import type { AddedFault } from '../local-drive/faults/faults';
import { type TestClient, clientOf } from '../support/client';
import { PLAIN_UPLOAD } from '../support/drive-fixture';
import type { Row, Subject } from './row';
import type { Stage } from './stage';

export interface Outcome {
  /** What isn't as it should be. */
  problems: string[];
  /** Requests that carried content, or asked for it. */
  requests: number;
}

/** What a transfer ended with: what it gave, or the code it failed with. */
type Ending = { value: unknown } | { code: string };

const OLD = Buffer.from('what was there before');

export function upload(from: 'disk' | 'buffer') {
  return async (stage: Stage, row: Row, size: number): Promise<Outcome> => {
    const under = clientOf(stage.drive.url);
    const content = from === 'disk' ? { path: await stage.local(size) } : { data: stage.content(size) };
    const faults = arrange(stage, row, { size, file: {} });
    const ending = await ended(
      under.client.upload({ ...PLAIN_UPLOAD, content, folderId: stage.folderId }).then(({ file }) => file.id),
    );
    const requests = stage.drive.requests.all.filter(
      ({ query, headers }) =>
        query.includes('uploadType=multipart') || /^bytes \d/.test(headers['content-range'] ?? ''),
    );
    const problems = [...judged(row, ending), ...struck(stage, faults)];
    const there = await stage.onDrive();
    problems.push(...('code' in ending ? nothing(there) : only(there, ending.value, stage.content(size))));
    await swept(under, [...there.keys()]);
    return { problems, requests: requests.length };
  };
}

export function download(to: 'disk' | 'memory') {
  return async (stage: Stage, row: Row, size: number): Promise<Outcome> => {
    const under = clientOf(stage.drive.url);
    const folder = await mkdtemp(path.join(stage.disk, 'target-'));
    const target = path.join(folder, 'target');
    if (to === 'disk') await writeFile(target, OLD);
    const file = await stage.described(size);
    const faults = arrange(stage, row, { size, file });
    const problems = new Set<string>();
    const request = { id: file['id'] ?? '', fields: 'id', acknowledgeAbuse: false };
    if (to === 'disk') {
      // Asked with each request: whether the target is touched before it is whole.
      const when = (): boolean => (readFileSync(target).equals(OLD) || problems.add('touched early'), false);
      stage.drive.faults.add({ kind: 'headers', headers: {}, match: { when } });
    }
    const ending = await ended(
      to === 'disk'
        ? under.client.downloadToDisk({ ...request, path: target, overwrite: 'replace' })
        : under.client.downloadToMemory({ ...request, maxSize: 1e9 }).then(({ content }) => content),
    );
    const requests = stage.drive.requests.all.filter(({ query }) => query.includes('alt=media'));
    for (const problem of [...judged(row, ending), ...struck(stage, faults)]) problems.add(problem);
    const content = 'value' in ending && to === 'memory' ? (ending.value as Buffer) : stage.content(size);
    if (!content.equals(stage.content(size))) problems.add('other bytes');
    if (to === 'disk') {
      const wanted = 'code' in ending ? OLD : stage.content(size);
      for (const problem of left(await stage.onDisk(folder), wanted, ending)) problems.add(problem);
    }
    under.close();
    await rm(folder, { recursive: true });
    return { problems: [...problems], requests: requests.length };
  };
}

function arrange(stage: Stage, row: Row, subject: Subject): AddedFault[] {
  stage.drive.faults.clear();
  stage.drive.requests.clear();
  return row.faults(subject).map((fault) => stage.drive.faults.add(fault));
}

async function ended(work: Promise<unknown>): Promise<Ending> {
  try {
    return { value: await work };
  } catch (error) {
    return { code: isDriveError(error) ? error.code : String(error) };
  }
}

function judged({ error: expected }: Row, ending: Ending): string[] {
  const code = 'code' in ending ? ending.code : undefined;
  return code === expected ? [] : [`${code ?? 'arrived'} instead of ${expected ?? 'arriving'}`];
}

/** A fault that never struck shows nothing. */
function struck({ drive }: Stage, faults: readonly AddedFault[]): string[] {
  const idle = faults.filter(({ hits }) => hits === 0).length;
  drive.faults.clear();
  return idle === 0 ? [] : [`${idle} of ${faults.length} faults never struck`];
}

function nothing(there: ReadonlyMap<string, Buffer>): string[] {
  return there.size === 0 ? [] : [`${there.size} files on the drive after an error`];
}

function only(there: ReadonlyMap<string, Buffer>, id: unknown, content: Buffer): string[] {
  if (there.size !== 1) return [`${there.size} files on the drive`];
  const [[is, bytes] = ['', Buffer.alloc(0)]] = there;
  if (is !== id) return ['the id of another file'];
  return bytes.equals(content) ? [] : ['other bytes on the drive'];
}

/** After an error there may be what resuming needs, unless it is known to be wrong. */
function left(there: Map<string, Buffer>, wanted: Buffer, ending: Ending): string[] {
  const isWhole = there.get('target')?.equals(wanted) ?? false;
  there.delete('target');
  const mayResume = 'code' in ending && ending.code !== 'checksum_mismatch';
  const others = [...there.keys()].filter((name) => !mayResume || !/\.part\b/.test(name));
  return [...(isWhole ? [] : ['another target']), ...others.map((name) => `left behind: ${name}`)];
}

async function swept(under: TestClient, ids: readonly string[]): Promise<void> {
  for (const id of ids) await under.client.delete(id);
  under.close();
}
