/** Checks that an operation changed the drive only as allowed, whatever its outcome. */
import type { Finding } from './finding';
import type { Operation, Outcome, Relocation, Upload } from './operations';
import { PRUNES } from './prune-rules';
import { expectedPrune } from './prune-oracle';
import { type Entry, type Snapshot, filesNamed, isLive, liveChildren } from './snapshot';
import { folderIdsOn } from './folder-paths';

/** The changes an operation may make; absent ones are not allowed. */
interface AllowedChanges {
  /** Accepts the only file that may be created. */
  creates?: (created: Entry) => boolean;
  trashes?: readonly string[];
  deletes?: readonly string[];
  /** Files that may change, and how. */
  updates?: { ids: readonly string[]; into: (entry: Entry, id: string) => boolean };
}

export interface Change {
  operation: Operation;
  outcome: Outcome | undefined;
  before: Snapshot;
  after: Snapshot;
}

export function checkDrive({ operation, outcome, before, after }: Change): Finding[] {
  const allowed = allowedChanges(operation, before, outcome);
  const { creates, trashes = [], deletes = [], updates } = allowed;
  const findings: Finding[] = [];
  for (const [id, was] of before) {
    const now = after.get(id);
    if (now ? isSame(was, now) || (updates?.ids.includes(id) && updates.into(now, id)) : deletes.includes(id))
      continue;
    if (now && trashes.includes(id) && isSame({ ...was, isTrashed: true }, now)) continue;
    const became = now ? `became ${describe(now)}` : 'was deleted';
    findings.push({ problem: 'corrupt', what: `${id}, which was ${describe(was)}, ${became}` });
  }
  const createdFolders =
    'folderPath' in operation && operation.folderPath ? folderIdsOn(operation.folderPath, after) : [];
  const created = [...after].filter(([id]) => !before.has(id) && !createdFolders.includes(id));
  if (created.length > (creates ? 1 : 0))
    findings.push({ problem: 'duplicate', what: `${created.length} files created by ${operation.kind}` });
  for (const [, entry] of created)
    if (creates && !creates(entry)) findings.push({ problem: 'corrupt', what: `created ${describe(entry)}` });
  return [...findings, ...checkReplacement(operation, before, after)];
}

function describe({ name, content, parent, isTrashed }: Entry): string {
  return `${name} of ${content.length} bytes in ${parent}${isTrashed ? ', in the trash' : ''}`;
}

function isSame(a: Entry, b: Entry): boolean {
  const { name, parent, isTrashed } = b;
  return a.name === name && a.parent === parent && a.isTrashed === isTrashed && a.content.equals(b.content);
}

function allowedChanges(
  operation: Operation,
  before: Snapshot,
  outcome: Outcome | undefined,
): AllowedChanges {
  switch (operation.kind) {
    case 'delete':
      return { deletes: operation.ids };
    case 'trash':
      return { trashes: operation.ids };
    case 'createFolder': {
      const { folder, name } = operation;
      const isExisting = liveChildren(before, folder).some(([, each]) => each.isFolder && each.name === name);
      return isExisting
        ? {}
        : { creates: (entry) => entry.isFolder && entry.parent === folder && entry.name === name };
    }
    case 'upload':
      return allowedByUpload(operation, before);
    case 'move':
    case 'restore':
    case 'copy':
      return allowedByRelocation(operation, before, outcome);
    case 'prune':
      return allowedByPrune(operation, before, outcome);
    default:
      return {};
  }
}

function allowedByUpload(operation: Upload, before: Snapshot): AllowedChanges {
  const { folder, name, content, ifExists } = operation;
  const found = filesNamed(before, folder, name);
  const isExpected = (entry: Entry): boolean =>
    entry.parent === folder &&
    !entry.isTrashed &&
    entry.content.equals(content) &&
    isExpectedName(operation, before, entry.name);
  if (ifExists === 'replace' && found.length > 0) return { updates: { ids: found, into: isExpected } };
  return found.length > 0 && (ifExists === 'skip' || ifExists === 'error') ? {} : { creates: isExpected };
}

function allowedByRelocation(
  operation: Relocation,
  before: Snapshot,
  outcome: Outcome | undefined,
): AllowedChanges {
  const { kind, id, ifExists } = operation;
  const target = relocationTarget(operation, before);
  const found = filesNamed(before, target.folder, target.name).filter(
    (each) => kind === 'copy' || each !== id,
  );
  const isRefused = outcome?.ok === true && outcome.result.skipped === true;
  if (isRefused || (found.length > 0 && (ifExists === 'skip' || ifExists === 'error'))) return {};
  const content = before.get(id)?.content;
  const isExisting = (entry: Entry): boolean =>
    entry.parent === target.folder &&
    !entry.isTrashed &&
    content?.equals(entry.content) === true &&
    isExpectedName({ ...operation, ...target }, before, entry.name, kind === 'copy' ? '' : id);
  // Several of that name, or the source itself, are nobody's to retarget.
  const [replaced] = found;
  const isReplacing = ifExists === 'replace' && found.length === 1 && replaced !== id;
  if (ifExists === 'replace' && found.length > 0 && !isReplacing) return {};
  return {
    ...(kind === 'copy' ? { creates: isExisting } : { updates: { ids: [id], into: isExisting } }),
    trashes: isReplacing ? found : [],
  };
}

/** The folder and name that a file should have. */
export function relocationTarget(
  { id, folder, name }: Relocation,
  before: Snapshot,
): { folder: string; name: string } {
  const source = before.get(id);
  return { folder: folder || (source?.parent ?? ''), name: name || (source?.name ?? '') };
}

/** With `rename`, the first free name. */
function isExpectedName(
  expected: { folder: string; name: string; ifExists: string },
  before: Snapshot,
  name: string,
  except = '',
): boolean {
  const { folder, name: plain, ifExists } = expected;
  if (ifExists !== 'rename') return name === plain;
  const isTaken = (each: string): boolean => filesNamed(before, folder, each).some((id) => id !== except);
  const dot = plain.lastIndexOf('.');
  const names = [
    plain,
    ...[1, 2, 3, 4, 5].map((each) => `${plain.slice(0, dot)} (${each})${plain.slice(dot)}`),
  ];
  return name === names.find((each) => !isTaken(each));
}

/** Nothing is removed unless the list was complete. */
function allowedByPrune(
  operation: Extract<Operation, { kind: 'prune' }>,
  before: Snapshot,
  outcome: Outcome | undefined,
): AllowedChanges {
  const rules = PRUNES[operation.rules];
  const mayHaveStarted = !outcome || outcome.ok || MAY_HAVE_STARTED.includes(outcome.code);
  if (rules?.dryRun !== false || !mayHaveStarted) return {};
  const { removed } = expectedPrune(operation, before);
  return rules.mode === 'trash' ? { trashes: removed } : { deletes: removed };
}

const MAY_HAVE_STARTED = ['partial_failure', 'cancelled', 'redeployed'];

/** A replaced file must stay until the new one exists. */
function checkReplacement(operation: Operation, before: Snapshot, after: Snapshot): Finding[] {
  if (!('id' in operation) || !('ifExists' in operation) || operation.ifExists !== 'replace') return [];
  const target = relocationTarget(operation, before);
  const [replaced] = filesNamed(before, target.folder, target.name).filter((id) => !isLive(after, id));
  const isFilled = filesNamed(after, target.folder, target.name).length > 0;
  return replaced === undefined || isFilled
    ? []
    : [{ problem: 'corrupt', what: `${replaced} was removed without a replacement` }];
}
