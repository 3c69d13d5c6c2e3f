/** Whether what an operation came to is true: on the drive, on the disk, and in what was said of it. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalDrive } from '../local-drive';
import type { Operation, Outcome, Result } from './operations';

export type Problem =
  'without an ending' | 'amiss' | 'not coded' | 'corrupt' | 'duplicate' | 'untrue' | 'leaked' | 'left behind';

export interface Finding {
  problem: Problem;
  what: string;
}

/** Contents of the files in a folder by their ids. */
export type Snapshot = ReadonlyMap<string, Entry>;

interface Entry {
  name: string;
  content: Buffer;
  isFolder: boolean;
}

const FOLDER = 'application/vnd.google-apps.folder';

export async function snapshot(drive: LocalDrive, folder: string): Promise<Snapshot> {
  const files = drive.files.in(folder).filter(({ trashed }) => !trashed);
  const entries = files.map(async ({ id, name, mimeType }) => {
    const content = await drive.files.contentOf(id);
    return [id, { name, content, isFolder: mimeType === FOLDER }] as const;
  });
  return new Map(await Promise.all(entries));
}

export interface Case {
  operation: Operation;
  outcome: Outcome | undefined;
  before: Snapshot;
  after: Snapshot;
  /** The folder on this machine's disk. */
  disk: string;
  /** What must not be seen of it. */
  secrets: readonly string[];
  /** The service itself said that something isn't there that is. */
  lied: boolean;
  /** Something that has happened in this run can end the sign-in. */
  mayEndSignIn: boolean;
}

export async function judge(case_: Case): Promise<Finding[]> {
  const { outcome, secrets } = case_;
  if (!outcome) return [{ problem: 'without an ending', what: 'nothing came of it' }];
  const amiss = (outcome.amiss ?? []).map((what) => ({ problem: 'amiss' as const, what }));
  const said = outcome.ok ? untrue(case_, outcome.result) : misspoken(case_, outcome);
  return [
    ...leaked(secrets, outcome.shown, 'in what is shown'),
    ...amiss,
    ...said,
    ...onDrive(case_),
    ...(await onDisk(case_)),
  ];
}

/** What is secret and can be read all the same. */
export function leaked(secrets: readonly string[], text: string, where: string): Finding[] {
  const found = secrets.filter((secret) => text.includes(secret));
  return found.map((secret) => ({ problem: 'leaked', what: `${where}: ${secret}` }));
}

function misspoken(case_: Case, outcome: Extract<Outcome, { ok: false }>): Finding[] {
  const { code, text, gone = [] } = outcome;
  const there = gone.filter((id) => case_.after.has(id));
  const findings: Finding[] = [];
  if (code === 'not coded') findings.push({ problem: 'not coded', what: text });
  if (code === 'sign_in_required' && !case_.mayEndSignIn)
    findings.push({ problem: 'untrue', what: 'asks for a sign-in that nothing has ended' });
  if (there.length > 0 && !case_.lied) findings.push({ problem: 'untrue', what: 'it is still there' });
  return findings;
}

function untrue(case_: Case, result: Result): Finding[] {
  const wrong = (what: string): Finding[] => [{ problem: 'untrue', what }];
  const { operation, after, lied } = case_;
  const { ids = [], content, created, skipped } = result;
  const [id = ''] = ids;
  switch (operation.kind) {
    case 'list':
    case 'search': {
      const isWanted =
        operation.kind === 'list'
          ? (file: Entry): boolean => file.isFolder
          : (file: Entry): boolean => !file.isFolder && file.name.includes(operation.text);
      const there = [...after].filter(([, file]) => isWanted(file));
      const expected = there.map(([each]) => each).sort();
      return String([...ids].sort()) === String(expected)
        ? []
        : wrong('the list lacks something, or has too much');
    }
    case 'metadata':
      return id === operation.id ? [] : wrong('another file');
    case 'delete':
    case 'trash':
      return lied || !operation.ids.some((each) => after.has(each)) ? [] : wrong('it is still there');
    case 'createFolder':
      return after.get(id)?.isFolder ? [] : wrong('there is no such folder');
    case 'upload':
      if (skipped) return after.has(id) ? [] : wrong('skipped for a file that is not there');
      if (created === undefined || !after.get(id)?.content.equals(operation.content)) {
        return [{ problem: 'corrupt', what: `an upload that went well, ${operation.content.length} bytes` }];
      }
      return [];
    case 'download': {
      const expected = after.get(operation.id)?.content;
      if (!content || expected?.equals(content)) return [];
      return [{ problem: 'corrupt', what: `a download that went well, ${content.length} bytes` }];
    }
    default:
      return [];
  }
}

function onDrive({ operation, before, after }: Case): Finding[] {
  const made = [...after].filter(([id]) => !before.has(id));
  const isMaking = operation.kind === 'upload' || operation.kind === 'createFolder';
  const isUpdate =
    operation.kind === 'upload' &&
    operation.ifExists === 'replace' &&
    [...before.values()].some(({ name }) => name === operation.name);
  const isThere =
    operation.kind === 'createFolder' &&
    [...before.values()].some(({ name, isFolder }) => isFolder && name === operation.name);
  const doomed = 'ids' in operation ? operation.ids : [];
  const lost = [...before.keys()].filter((id) => !after.has(id) && !doomed.includes(id));
  const findings: Finding[] = lost.map((id) => ({ problem: 'corrupt', what: `${id} is gone` }));
  if (made.length > (isMaking && !isUpdate && !isThere ? 1 : 0)) {
    findings.push({ problem: 'duplicate', what: `${made.length} came to be by ${operation.kind}` });
  }
  for (const [id, { name, content }] of after) {
    const allowed = before.has(id) ? [before.get(id)?.content] : [];
    if (operation.kind === 'upload' && (isUpdate ? name === operation.name : !before.has(id))) {
      allowed.push(operation.content);
    }
    if (operation.kind === 'createFolder' && !before.has(id)) allowed.push(Buffer.alloc(0));
    if (!allowed.some((each) => each?.equals(content))) {
      findings.push({ problem: 'corrupt', what: `${name} on the drive has ${content.length} bytes` });
    }
  }
  return findings;
}

async function onDisk({ operation, outcome, before, after, disk }: Case): Promise<Finding[]> {
  const names = await readdir(disk);
  // A download that failed leaves what a later one goes on with; one that went well clears it away.
  const cleared = operation.kind === 'download' && operation.output === 'file' && outcome?.ok;
  const known = cleared ? /^(source|target)$/ : /^(source|target|\.target\..*\.part)$/;
  const strange = names.filter((name) => !known.test(name));
  const findings: Finding[] = strange.map((name) => ({ problem: 'left behind', what: `${name} on disk` }));
  if (operation.kind !== 'download' || operation.output !== 'file') return findings;
  const expected = (after.get(operation.id) ?? before.get(operation.id))?.content;
  const isThere = names.includes('target');
  if (outcome?.ok && !isThere) findings.push({ problem: 'untrue', what: 'there is no file on disk' });
  if (!outcome?.ok && isThere && !isRedeployed(outcome))
    findings.push({ problem: 'left behind', what: 'a file of a download that failed' });
  if (isThere && !expected?.equals(await readFile(join(disk, 'target')))) {
    findings.push({ problem: 'corrupt', what: 'the file on disk' });
  }
  return findings;
}

/** It may have gone well, and nobody was told. */
function isRedeployed(outcome: Outcome | undefined): boolean {
  return outcome?.ok === false && outcome.code === 'redeployed';
}
