/** What an operation may have done to the drive, whatever it said of it, and whether it has done anything else. */
import type { Finding } from './finding';
import type { Operation, Outcome, Relocation, Upload } from './operations';
import { PRUNES } from './prune-rules';
import { expectedPrune } from './prune-oracle';
import { type Entry, type Snapshot, filesNamed, isLive, liveChildren } from './snapshot';
import { folderIdsOn } from './folder-paths';

/** What is left out may not happen. */
interface AllowedChanges {
  /** At most one comes to be, and looks like this. */
  creates?: (made: Entry) => boolean;
  trashes?: readonly string[];
  deletes?: readonly string[];
  /** What else a file may have become. */
  changes?: { ids: readonly string[]; into: (entry: Entry, id: string) => boolean };
}

export interface Change {
  operation: Operation;
  outcome: Outcome | undefined;
  before: Snapshot;
  after: Snapshot;
}

export function checkDrive({ operation, outcome, before, after }: Change): Finding[] {
  const permitted = allowedChanges(operation, before, outcome);
  const { creates, trashes = [], deletes = [], changes } = permitted;
  const findings: Finding[] = [];
  for (const [id, was] of before) {
    const is = after.get(id);
    if (is ? isSame(was, is) || (changes?.ids.includes(id) && changes.into(is, id)) : deletes.includes(id))
      continue;
    if (is && trashes.includes(id) && isSame({ ...was, isTrashed: true }, is)) continue;
    const became = is ? describe(is) : 'is gone';
    findings.push({ problem: 'corrupt', what: `${id}, which was ${describe(was)}, ${became}` });
  }
  const createdFolders =
    'folderPath' in operation && operation.folderPath ? folderIdsOn(operation.folderPath, after) : [];
  const made = [...after].filter(([id]) => !before.has(id) && !createdFolders.includes(id));
  if (made.length > (creates ? 1 : 0))
    findings.push({ problem: 'duplicate', what: `${made.length} came to be by ${operation.kind}` });
  for (const [, entry] of made)
    if (creates && !creates(entry))
      findings.push({ problem: 'corrupt', what: `there came to be ${describe(entry)}` });
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
      const isThere = liveChildren(before, folder).some(([, each]) => each.isFolder && each.name === name);
      return isThere
        ? {}
        : { creates: (made) => made.isFolder && made.parent === folder && made.name === name };
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
  const isWanted = (entry: Entry): boolean =>
    entry.parent === folder &&
    !entry.isTrashed &&
    entry.content.equals(content) &&
    isExpectedName(operation, before, entry.name);
  if (ifExists === 'replace' && found.length > 0) return { changes: { ids: found, into: isWanted } };
  return found.length > 0 && (ifExists === 'skip' || ifExists === 'error') ? {} : { creates: isWanted };
}

function allowedByRelocation(
  operation: Relocation,
  before: Snapshot,
  outcome: Outcome | undefined,
): AllowedChanges {
  const { kind, id, ifExists } = operation;
  const place = relocationTarget(operation, before);
  const found = filesNamed(before, place.folder, place.name).filter((each) => kind === 'copy' || each !== id);
  const isRefused = outcome?.ok === true && outcome.result.skipped === true;
  if (isRefused || (found.length > 0 && (ifExists === 'skip' || ifExists === 'error'))) return {};
  const content = before.get(id)?.content;
  const isThere = (entry: Entry): boolean =>
    entry.parent === place.folder &&
    !entry.isTrashed &&
    content?.equals(entry.content) === true &&
    isExpectedName({ ...operation, ...place }, before, entry.name, kind === 'copy' ? '' : id);
  // Several of that name, or the source itself, are nobody's to replace.
  const [replaced] = found;
  const isReplacing = ifExists === 'replace' && found.length === 1 && replaced !== id;
  if (ifExists === 'replace' && found.length > 0 && !isReplacing) return {};
  return {
    ...(kind === 'copy' ? { creates: isThere } : { changes: { ids: [id], into: isThere } }),
    trashes: isReplacing ? found : [],
  };
}

/** Where a file is to be. */
export function relocationTarget(
  { id, folder, name }: Relocation,
  before: Snapshot,
): { folder: string; name: string } {
  const source = before.get(id);
  return { folder: folder || (source?.parent ?? ''), name: name || (source?.name ?? '') };
}

/** With `rename` a name that nobody else has, where the name itself is taken. */
function isExpectedName(
  wanted: { folder: string; name: string; ifExists: string },
  before: Snapshot,
  name: string,
  except = '',
): boolean {
  const { folder, name: plain, ifExists } = wanted;
  if (ifExists !== 'rename') return name === plain;
  const isTaken = (each: string): boolean => filesNamed(before, folder, each).some((id) => id !== except);
  const dot = plain.lastIndexOf('.');
  const names = [
    plain,
    ...[1, 2, 3, 4, 5].map((each) => `${plain.slice(0, dot)} (${each})${plain.slice(dot)}`),
  ];
  return name === names.find((each) => !isTaken(each));
}

/** Nothing goes unless the list was whole; then one after the other does. */
function allowedByPrune(
  operation: Extract<Operation, { kind: 'prune' }>,
  before: Snapshot,
  outcome: Outcome | undefined,
): AllowedChanges {
  const rules = PRUNES[operation.rules];
  const mayHaveBegun = !outcome || outcome.ok || MAY_HAVE_STARTED.includes(outcome.code);
  if (rules?.dryRun !== false || !mayHaveBegun) return {};
  const { removed } = expectedPrune(operation, before);
  return rules.mode === 'trash' ? { trashes: removed } : { deletes: removed };
}

const MAY_HAVE_STARTED = ['partial_failure', 'cancelled', 'redeployed'];

/** What is replaced stays until the other one is there. */
function checkReplacement(operation: Operation, before: Snapshot, after: Snapshot): Finding[] {
  if (!('id' in operation) || !('ifExists' in operation) || operation.ifExists !== 'replace') return [];
  const place = relocationTarget(operation, before);
  const [replaced] = filesNamed(before, place.folder, place.name).filter((id) => !isLive(after, id));
  const isFilled = filesNamed(after, place.folder, place.name).length > 0;
  return replaced === undefined || isFilled
    ? []
    : [{ problem: 'corrupt', what: `${replaced} was replaced by nothing` }];
}
