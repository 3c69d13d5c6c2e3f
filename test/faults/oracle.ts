/** Whether what an operation came to is true: on the drive, on the disk, and in what was said of it. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from './finding';
import { checkDrive, relocationTarget } from './drive-oracle';
import type { Operation, Outcome, Prune, Relocation, Result } from './operations';
import { PRUNES } from './prune-rules';
import { expectedPrune } from './prune-oracle';
import { type Entry, type Snapshot, filesNamed, isLive, liveChildren } from './snapshot';

export interface OracleInput {
  /** With the id of each folder, not its path. */
  operation: Operation;
  outcome: Outcome | undefined;
  before: Snapshot;
  after: Snapshot;
  /** The folder on this machine's disk. */
  disk: string;
  /** What must not be seen of it. */
  secrets: readonly string[];
  /** The service itself said that something isn't there that is. */
  sawFalseNotFound: boolean;
  /** Something that has happened in this run can end the sign-in. */
  mayRequireSignIn: boolean;
}

export async function checkOutcome(case_: OracleInput): Promise<Finding[]> {
  const { outcome, secrets } = case_;
  if (!outcome) return [{ problem: 'without an ending', what: 'nothing came of it' }];
  const amiss = (outcome.violations ?? []).map((what) => ({ problem: 'amiss' as const, what }));
  const said = outcome.ok ? checkResult(case_, outcome.result) : checkError(case_, outcome);
  return [
    ...findLeaks(secrets, outcome.visibleText, 'in what is shown'),
    ...amiss,
    ...said,
    ...checkDrive(case_),
    ...(await checkDisk(case_)),
  ];
}

/** What is secret and can be read all the same. */
export function findLeaks(secrets: readonly string[], text: string, where: string): Finding[] {
  const found = secrets.filter((secret) => text.includes(secret));
  return found.map((secret) => ({ problem: 'leaked', what: `${where}: ${secret}` }));
}

function checkError(case_: OracleInput, outcome: Extract<Outcome, { ok: false }>): Finding[] {
  const { code, text, removedIds = [] } = outcome;
  const there = removedIds.filter((id) => isLive(case_.after, id));
  const findings: Finding[] = [];
  if (code === 'not coded') findings.push({ problem: 'not coded', what: text });
  if (code === 'sign_in_required' && !case_.mayRequireSignIn)
    findings.push({ problem: 'untrue', what: 'asks for a sign-in that nothing has ended' });
  if (there.length > 0 && !case_.sawFalseNotFound)
    findings.push({ problem: 'untrue', what: 'it is still there' });
  return findings;
}

function checkResult(case_: OracleInput, result: Result): Finding[] {
  const wrong = (what: string): Finding[] => [{ problem: 'untrue', what }];
  const { operation, after, sawFalseNotFound } = case_;
  const [id = ''] = result.ids ?? [];
  switch (operation.kind) {
    case 'list':
      return checkListing(case_, operation.folder, result, (file) => file.isFolder).flatMap(wrong);
    case 'search': {
      const isHit = (file: Entry): boolean => !file.isFolder && file.name.includes(operation.text);
      return checkListing(case_, operation.folder, result, isHit).flatMap(wrong);
    }
    case 'metadata':
      return id === operation.id ? [] : wrong('another file');
    case 'delete':
    case 'trash':
      return sawFalseNotFound || !operation.ids.some((each) => isLive(after, each))
        ? []
        : wrong('it is still there');
    case 'createFolder':
      return after.get(id)?.isFolder && isLive(after, id) ? [] : wrong('there is no such folder');
    case 'upload':
      if (!result.skipped) return checkContent(case_, operation, result);
      return isLive(after, id) ? [] : wrong('skipped for a file that is not there');
    case 'download':
      return checkContent(case_, operation, result);
    case 'move':
    case 'copy':
    case 'restore':
      return checkRelocation(case_, operation, result).flatMap(wrong);
    case 'prune':
      return checkPrune(case_, operation, result).flatMap(wrong);
    default:
      return [];
  }
}

function checkListing(
  { after }: OracleInput,
  folder: string,
  { ids = [] }: Result,
  isWanted: (file: Entry) => boolean,
): string[] {
  const expected = liveChildren(after, folder).flatMap(([id, file]) => (isWanted(file) ? [id] : []));
  const isSame = String([...ids].sort()) === String(expected.sort());
  return isSame ? [] : ['the list lacks something, or has too much'];
}

/** Whether other bytes than they should be are on the drive after an upload, or came with a download. */
function checkContent(
  { after }: OracleInput,
  operation: Extract<Operation, { kind: 'upload' | 'download' }>,
  { ids: [id = ''] = [], content, created }: Result,
): Finding[] {
  if (operation.kind === 'upload') {
    const { content: wanted } = operation;
    if (created !== undefined && after.get(id)?.content.equals(wanted)) return [];
    return [{ problem: 'corrupt', what: `an upload that went well, ${wanted.length} bytes` }];
  }
  if (!content || after.get(operation.id)?.content.equals(content)) return [];
  return [{ problem: 'corrupt', what: `a download that went well, ${content.length} bytes` }];
}

/** Whether the file that was told of is where it should be; how it looks there is judged anyway. */
function checkRelocation(
  { before, after, sawFalseNotFound }: OracleInput,
  operation: Relocation,
  result: Result,
): string[] {
  const { kind, id, ifExists } = operation;
  const { ids: [told = ''] = [], created, skipped } = result;
  const { folder, name } = relocationTarget(operation, before);
  if (skipped)
    return filesNamed(after, folder, name).includes(told) ? [] : ['skipped for a file that is not there'];
  const isOther = told !== id && !before.has(told);
  if (created !== (kind === 'copy') || isOther !== (kind === 'copy')) return ['it tells of another file'];
  if (after.get(told)?.parent !== folder || !isLive(after, told)) return ['it is not where it should be'];
  const others = filesNamed(after, folder, name).filter((each) => each !== told);
  return ifExists === 'replace' && others.length > 0 && !sawFalseNotFound
    ? ['what it replaces is still there']
    : [];
}

function checkPrune(
  { before, after, sawFalseNotFound }: OracleInput,
  operation: Prune,
  result: Result,
): string[] {
  const { ids = [], kept = [] } = result;
  const expected = expectedPrune(operation, before);
  const isEqual = (a: string[], b: string[]): boolean => String([...a].sort()) === String([...b].sort());
  if (!isEqual(ids, expected.removed)) return ['other files than the rules would have it'];
  if (!isEqual(kept, expected.kept)) return ['it says that others stay'];
  const isTrial = PRUNES[operation.rules]?.dryRun === true;
  return isTrial || sawFalseNotFound || !ids.some((id) => isLive(after, id)) ? [] : ['it is still there'];
}

async function checkDisk({ operation, outcome, before, after, disk }: OracleInput): Promise<Finding[]> {
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
  if (!outcome?.ok && isThere && !wasRedeployed(outcome))
    findings.push({ problem: 'left behind', what: 'a file of a download that failed' });
  if (isThere && !expected?.equals(await readFile(join(disk, 'target')))) {
    findings.push({ problem: 'corrupt', what: 'the file on disk' });
  }
  return findings;
}

/** It may have gone well, and nobody was told. */
function wasRedeployed(outcome: Outcome | undefined): boolean {
  return outcome?.ok === false && outcome.code === 'redeployed';
}
