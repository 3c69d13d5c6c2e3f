/** Checks the outcome of an operation against the drive and the disk. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from './finding';
import { checkDrive, relocationTarget } from './drive-oracle';
import type { Operation, Outcome, Prune, Relocation, Result } from './operations';
import { PRUNES } from './prune-rules';
import { expectedPrune } from './prune-oracle';
import { type Entry, type Snapshot, filesNamed, isLive, liveChildren } from './snapshot';

export interface OracleInput {
  /** With folder ids in place of paths. */
  operation: Operation;
  outcome: Outcome | undefined;
  before: Snapshot;
  after: Snapshot;
  /** The folder on disk. */
  disk: string;
  /** Must not be visible. */
  secrets: readonly string[];
  /** A fault reported an existing file as missing. */
  sawFalseNotFound: boolean;
  /** Number of faults that were applied. */
  faults: number;
  /** A fault of this run may have ended the sign-in. */
  mayRequireSignIn: boolean;
}

export async function checkOutcome(input: OracleInput): Promise<Finding[]> {
  const { outcome, secrets } = input;
  if (!outcome) return [{ problem: 'no result', what: 'the operation never ended' }];
  const violations = (outcome.violations ?? []).map((what) => ({
    problem: 'contract violation' as const,
    what,
  }));
  const resultFindings = outcome.ok ? checkResult(input, outcome.result) : checkError(input, outcome);
  return [
    ...findLeaks(secrets, outcome.visibleText, 'in visible text'),
    ...violations,
    ...resultFindings,
    ...checkDrive(input),
    ...(await checkDisk(input)),
  ];
}

/** Finds secrets in a text. */
export function findLeaks(secrets: readonly string[], text: string, where: string): Finding[] {
  const found = secrets.filter((secret) => text.includes(secret));
  return found.map((secret) => ({ problem: 'leaked', what: `${where}: ${secret}` }));
}

function checkError(input: OracleInput, outcome: Extract<Outcome, { ok: false }>): Finding[] {
  const { code, text, removedIds = [] } = outcome;
  const there = removedIds.filter((id) => isLive(input.after, id));
  const findings: Finding[] = [];
  if (code === 'error without code') findings.push({ problem: 'error without code', what: text });
  if (code === 'sign_in_required' && !input.mayRequireSignIn)
    findings.push({ problem: 'wrong result', what: 'requires a sign-in although the grant is valid' });
  if (there.length > 0 && !input.sawFalseNotFound)
    findings.push({ problem: 'wrong result', what: 'the file still exists' });
  return findings;
}

function checkResult(input: OracleInput, result: Result): Finding[] {
  const finding = (what: string): Finding[] => [{ problem: 'wrong result', what }];
  const { operation, after, sawFalseNotFound } = input;
  const [id = ''] = result.ids ?? [];
  switch (operation.kind) {
    case 'list':
      return checkListing(input, operation.folder, result, (file) => file.isFolder).flatMap(finding);
    case 'search': {
      const isHit = (file: Entry): boolean => !file.isFolder && file.name.includes(operation.text);
      return checkListing(input, operation.folder, result, isHit).flatMap(finding);
    }
    case 'metadata':
      return id === operation.id ? [] : finding('wrong file');
    case 'delete':
    case 'trash':
      return sawFalseNotFound || !operation.ids.some((each) => isLive(after, each))
        ? []
        : finding('the file still exists');
    case 'createFolder':
      return after.get(id)?.isFolder && isLive(after, id) ? [] : finding('the folder does not exist');
    case 'upload':
      if (!result.skipped) return checkContent(input, operation, result);
      return isLive(after, id) ? [] : finding('skipped although no such file exists');
    case 'download':
      return checkContent(input, operation, result);
    case 'move':
    case 'copy':
    case 'restore':
      return checkRelocation(input, operation, result).flatMap(finding);
    case 'prune':
      return checkPrune(input, operation, result).flatMap(finding);
    default:
      return [];
  }
}

function checkListing(
  { after }: OracleInput,
  folder: string,
  { ids = [] }: Result,
  isExpected: (file: Entry) => boolean,
): string[] {
  const expected = liveChildren(after, folder).flatMap(([id, file]) => (isExpected(file) ? [id] : []));
  const isSame = String([...ids].sort()) === String(expected.sort());
  return isSame ? [] : ['wrong list'];
}

/** Compares the content of an upload or download with the drive. */
function checkContent(
  { after }: OracleInput,
  operation: Extract<Operation, { kind: 'upload' | 'download' }>,
  { ids: [id = ''] = [], content, created }: Result,
): Finding[] {
  if (operation.kind === 'upload') {
    const { content: expected } = operation;
    if (created !== undefined && after.get(id)?.content.equals(expected)) return [];
    return [{ problem: 'corrupt', what: `a successful upload, ${expected.length} bytes` }];
  }
  if (!content || after.get(operation.id)?.content.equals(content)) return [];
  return [{ problem: 'corrupt', what: `a successful download, ${content.length} bytes` }];
}

/** Whether the returned file is in the right folder; the drive oracle checks the rest. */
function checkRelocation(
  { before, after, sawFalseNotFound }: OracleInput,
  operation: Relocation,
  result: Result,
): string[] {
  const { kind, id, ifExists } = operation;
  const { ids: [resultId = ''] = [], created, skipped } = result;
  const { folder, name } = relocationTarget(operation, before);
  if (skipped)
    return filesNamed(after, folder, name).includes(resultId) ? [] : ['skipped although no such file exists'];
  const isOther = resultId !== id && !before.has(resultId);
  if (created !== (kind === 'copy') || isOther !== (kind === 'copy')) return ['wrong file in the result'];
  if (after.get(resultId)?.parent !== folder || !isLive(after, resultId)) return ['wrong folder'];
  const others = filesNamed(after, folder, name).filter((each) => each !== resultId);
  return ifExists === 'replace' && others.length > 0 && !sawFalseNotFound
    ? ['the replaced file still exists']
    : [];
}

function checkPrune(
  { before, after, faults, sawFalseNotFound }: OracleInput,
  operation: Prune,
  result: Result,
): string[] {
  const { ids = [], kept = [] } = result;
  const expected = expectedPrune(operation, before);
  // A kept file that can't be checked may be missing, so another one stays for the minimum.
  const spared = expected.removed.filter((id) => kept.includes(id));
  if ((PRUNES[operation.rules]?.minimum ?? 0) > 0 && spared.length <= faults) {
    expected.removed = expected.removed.filter((id) => !spared.includes(id));
    expected.kept.push(...spared);
  }
  const isEqual = (a: string[], b: string[]): boolean => String([...a].sort()) === String([...b].sort());
  if (!isEqual(ids, expected.removed)) return ['wrong removed files'];
  if (!isEqual(kept, expected.kept)) return ['wrong kept files'];
  const isDryRun = PRUNES[operation.rules]?.dryRun === true;
  return isDryRun || sawFalseNotFound || !ids.some((id) => isLive(after, id))
    ? []
    : ['the file still exists'];
}

async function checkDisk({ operation, outcome, before, after, disk }: OracleInput): Promise<Finding[]> {
  const names = await readdir(disk);
  // A failed download leaves a part file for resuming; a successful one removes it.
  const isComplete = operation.kind === 'download' && operation.output === 'file' && outcome?.ok;
  const expectedNames = isComplete ? /^(source|target)$/ : /^(source|target|\.target\..*\.part)$/;
  const leftovers = names.filter((name) => !expectedNames.test(name));
  const findings: Finding[] = leftovers.map((name) => ({ problem: 'leftover', what: `${name} on disk` }));
  if (operation.kind !== 'download' || operation.output !== 'file') return findings;
  const expected = (after.get(operation.id) ?? before.get(operation.id))?.content;
  const hasTarget = names.includes('target');
  if (outcome?.ok && !hasTarget) findings.push({ problem: 'wrong result', what: 'no file on disk' });
  if (!outcome?.ok && hasTarget && !wasRedeployed(outcome))
    findings.push({ problem: 'leftover', what: 'a file of a failed download' });
  if (hasTarget && !expected?.equals(await readFile(join(disk, 'target')))) {
    findings.push({ problem: 'corrupt', what: 'the file on disk' });
  }
  return findings;
}

/** The operation may have succeeded without emitting a result. */
function wasRedeployed(outcome: Outcome | undefined): boolean {
  return outcome?.ok === false && outcome.code === 'redeployed';
}
