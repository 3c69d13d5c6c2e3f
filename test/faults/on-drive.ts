/** What an operation may have done to the drive, whatever it said of it, and whether it has done anything else. */
import type { Finding } from './finding';
import type { Operation, Outcome, Relocation, Upload } from './operations';
import { PRUNES } from './prune-rules';
import { expectedOf } from './pruning';
import { type Entry, type Snapshot, filesNamed, isLive, liveIn } from './snapshot';
import { foldersOn } from './ways';

/** What is left out may not happen. */
interface Permitted {
  /** At most one comes to be, and looks like this. */
  makes?: (made: Entry) => boolean;
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

export function onDrive({ operation, outcome, before, after }: Change): Finding[] {
  const permitted = permittedBy(operation, before, outcome);
  const { makes, trashes = [], deletes = [], changes } = permitted;
  const findings: Finding[] = [];
  for (const [id, was] of before) {
    const is = after.get(id);
    if (is ? isSame(was, is) || (changes?.ids.includes(id) && changes.into(is, id)) : deletes.includes(id))
      continue;
    if (is && trashes.includes(id) && isSame({ ...was, isTrashed: true }, is)) continue;
    const became = is ? told(is) : 'is gone';
    findings.push({ problem: 'corrupt', what: `${id}, which was ${told(was)}, ${became}` });
  }
  const way = 'way' in operation && operation.way ? foldersOn(operation.way, after) : [];
  const made = [...after].filter(([id]) => !before.has(id) && !way.includes(id));
  if (made.length > (makes ? 1 : 0))
    findings.push({ problem: 'duplicate', what: `${made.length} came to be by ${operation.kind}` });
  for (const [, entry] of made)
    if (makes && !makes(entry))
      findings.push({ problem: 'corrupt', what: `there came to be ${told(entry)}` });
  return [...findings, ...tooEarly(operation, before, after)];
}

function told({ name, content, parent, isTrashed }: Entry): string {
  return `${name} of ${content.length} bytes in ${parent}${isTrashed ? ', in the trash' : ''}`;
}

function isSame(a: Entry, b: Entry): boolean {
  const { name, parent, isTrashed } = b;
  return a.name === name && a.parent === parent && a.isTrashed === isTrashed && a.content.equals(b.content);
}

function permittedBy(operation: Operation, before: Snapshot, outcome: Outcome | undefined): Permitted {
  switch (operation.kind) {
    case 'delete':
      return { deletes: operation.ids };
    case 'trash':
      return { trashes: operation.ids };
    case 'createFolder': {
      const { folder, name } = operation;
      const isThere = liveIn(before, folder).some(([, each]) => each.isFolder && each.name === name);
      return isThere
        ? {}
        : { makes: (made) => made.isFolder && made.parent === folder && made.name === name };
    }
    case 'upload':
      return uploading(operation, before);
    case 'move':
    case 'restore':
    case 'copy':
      return relocating(operation, before, outcome);
    case 'prune':
      return pruning(operation, before, outcome);
    default:
      return {};
  }
}

function uploading(operation: Upload, before: Snapshot): Permitted {
  const { folder, name, content, ifExists } = operation;
  const found = filesNamed(before, folder, name);
  const isWanted = (entry: Entry): boolean =>
    entry.parent === folder &&
    !entry.isTrashed &&
    entry.content.equals(content) &&
    isNameOf(operation, before, entry.name);
  if (ifExists === 'replace' && found.length > 0) return { changes: { ids: found, into: isWanted } };
  return found.length > 0 && (ifExists === 'skip' || ifExists === 'error') ? {} : { makes: isWanted };
}

function relocating(operation: Relocation, before: Snapshot, outcome: Outcome | undefined): Permitted {
  const { kind, id, ifExists } = operation;
  const place = placeOf(operation, before);
  const found = filesNamed(before, place.folder, place.name).filter((each) => kind === 'copy' || each !== id);
  const isRefused = outcome?.ok === true && outcome.result.skipped === true;
  if (isRefused || (found.length > 0 && (ifExists === 'skip' || ifExists === 'error'))) return {};
  const content = before.get(id)?.content;
  const isThere = (entry: Entry): boolean =>
    entry.parent === place.folder &&
    !entry.isTrashed &&
    content?.equals(entry.content) === true &&
    isNameOf({ ...operation, ...place }, before, entry.name, kind === 'copy' ? '' : id);
  // Several of that name, or the source itself, are nobody's to replace.
  const [replaced] = found;
  const isReplacing = ifExists === 'replace' && found.length === 1 && replaced !== id;
  if (ifExists === 'replace' && found.length > 0 && !isReplacing) return {};
  return {
    ...(kind === 'copy' ? { makes: isThere } : { changes: { ids: [id], into: isThere } }),
    trashes: isReplacing ? found : [],
  };
}

/** Where a file is to be. */
export function placeOf(
  { id, folder, name }: Relocation,
  before: Snapshot,
): { folder: string; name: string } {
  const source = before.get(id);
  return { folder: folder || (source?.parent ?? ''), name: name || (source?.name ?? '') };
}

/** With `rename` a name that nobody else has, where the name itself is taken. */
function isNameOf(
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
function pruning(
  operation: Extract<Operation, { kind: 'prune' }>,
  before: Snapshot,
  outcome: Outcome | undefined,
): Permitted {
  const rules = PRUNES[operation.rules];
  const mayHaveBegun = !outcome || outcome.ok || BEGUN.includes(outcome.code);
  if (rules?.dryRun !== false || !mayHaveBegun) return {};
  const { removed } = expectedOf(operation, before);
  return rules.mode === 'trash' ? { trashes: removed } : { deletes: removed };
}

const BEGUN = ['partial_failure', 'cancelled', 'redeployed'];

/** What is replaced stays until the other one is there. */
function tooEarly(operation: Operation, before: Snapshot, after: Snapshot): Finding[] {
  if (!('id' in operation) || !('ifExists' in operation) || operation.ifExists !== 'replace') return [];
  const place = placeOf(operation, before);
  const [replaced] = filesNamed(before, place.folder, place.name).filter((id) => !isLive(after, id));
  const isFilled = filesNamed(after, place.folder, place.name).length > 0;
  return replaced === undefined || isFilled
    ? []
    : [{ problem: 'corrupt', what: `${replaced} was replaced by nothing` }];
}
