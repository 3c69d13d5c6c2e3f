/**
 * Decides what a synchronization does, from the listings of both sides. It is decided folder by folder, so that only
 * what has to be done stays in memory. No requests, no access to the disk.
 */
import path from 'node:path';
import { DriveError } from '../errors';
import { mimeTypeByName } from '../drive/mime-types';
import { parsePartName, targetInPartName, isReservedName } from '../fs/reserved-names';
import { exportName } from '../transfer/download/workspace-export';
import { type PathMatcher, createPathMatcher } from '../core/globs/path-globs';
import { ChangeList } from './change-list';
import { type Comparison, compareFiles } from './compare';
import { type DiskNames } from './disk-names';
import { toDiskName } from '../fs/safe-name';
import type { DriveEntry } from './list-drive';
import type { LocalEntry, LocalListing } from './list-local';
import { PackedFiles } from './packed-files';
import { type LocalFile, type RemoteFile, type SyncFile, SyncFolder, filePath } from './sync-folder';
import type { SyncReason, SyncRequest } from './sync-request';

/** What is wrong with the listings. Each is a text key. */
type PathConflict =
  | 'conflict_sync_duplicates'
  | 'conflict_sync_names'
  | 'conflict_sync_exports'
  | 'conflict_sync_kinds'
  | 'conflict_sync_symlinks'
  | 'conflict_sync_loop';

/** Paths that the error of a conflict lists. */
const MAX_PATHS = 10;

export class Plan {
  /** Created or updated: their content has to be transferred. */
  readonly transfers = new PackedFiles();
  /** Their checksums have to be compared. */
  readonly comparisons = new PackedFiles();
  /** Missing at the destination; each after its parent. */
  folders: SyncFolder[] = [];
  /** Exist only at the destination; each folder after its parent. Empty unless they are to be removed. */
  extraFiles: SyncFile[] = [];
  extraFolders: SyncFolder[] = [];
  /** Skipped and failed files. */
  readonly changes = new ChangeList();
  unchanged = 0;
  /** Those of {@link transfers} that are missing at the destination. */
  newFiles = 0;
  /** Part files and probes, which a killed run may have left. */
  readonly parts: { folder: SyncFolder; name: string }[] = [];
  /** Whether Workspace documents of a MIME type have the requested format. Unknown until there are documents. */
  canExport: (mimeType: string) => boolean = () => true;

  private readonly conflicts = new Map<PathConflict, Set<string>>();
  /** Compared as `newer`. */
  private newer: SyncFile[] = [];
  private sourceFiles = 0;
  /** What followed links at the destination lead to: real paths on disk, ids on the drive. */
  private readonly linkTargets = new Set<string>();
  /** Two files with the same time prove that the service keeps modified times. */
  private keepsTimes = false;
  private readonly include: PathMatcher;
  private readonly exclude: PathMatcher;

  constructor(
    readonly request: SyncRequest,
    readonly names: DiskNames,
  ) {
    this.include = createPathMatcher(request.include);
    this.exclude = createPathMatcher(request.exclude);
  }

  get isUp(): boolean {
    return this.request.direction === 'up';
  }

  /** Bytes to be transferred, as far as known. */
  get bytes(): number {
    let sum = 0;
    for (let index = 0; index < this.transfers.length; index++) sum += this.sizeOfTransfer(index);
    return sum;
  }

  sizeOfTransfer(index: number): number {
    return this.transfers.sizeAt(index, this.isUp ? 'local' : 'remote');
  }

  sizeOf({ local, remote }: Pick<SyncFile, 'local' | 'remote'>): number | undefined {
    return this.isUp ? local?.size : remote?.size;
  }

  selects(path: string, isFolder: boolean): boolean {
    if (this.request.exclude.length > 0 && this.exclude(path, isFolder)) return false;
    return isFolder || this.request.include.length === 0 || this.include(path);
  }

  /** Whether the folder is created even if it contains no files. */
  selectsEmpty(path: string): boolean {
    return this.request.include.length === 0 || this.include(path, true);
  }

  addConflict(text: PathConflict, path: string): void {
    const paths = this.conflicts.get(text);
    if (paths) paths.add(path);
    else this.conflicts.set(text, new Set([path]));
  }

  skip(
    path: string,
    reason: SyncReason,
    { id, size }: { id?: string; size?: number | undefined } = {},
  ): void {
    this.changes.add({ path, action: 'skipped', id, size, reason });
  }

  /** A folder that couldn't be read. */
  fail(folder: SyncFolder, error: unknown): void {
    this.changes.add({ path: `${folder.path}/`, action: 'failed', error });
  }

  addSourceFile(): void {
    this.sourceFiles += 1;
  }

  addTransfer(file: SyncFile): void {
    if (!file.local || !file.remote) this.newFiles += 1;
    this.transfers.push(file);
    file.folder.need();
  }

  addCompared(file: SyncFile, result: Comparison, path: string): void {
    if (result === 'same') {
      this.unchanged += 1;
      this.keepsTimes ||= file.remote?.time !== undefined;
    } else if (result === 'changed') this.addTransfer(file);
    else if (result === 'checksum') this.comparisons.push(file);
    else if (result === 'newer') this.newer.push(file);
    else this.skipUnknown(file, path);
  }

  private skipUnknown({ remote, local }: SyncFile, path: string): void {
    this.skip(path, 'not_comparable', { id: remote?.id, size: local?.size });
  }

  addExtra(file: SyncFile): void {
    this.extraFiles.push(file);
    for (const folder of file.folder.withParents()) folder.hasExtraFiles = true;
  }

  /** @param entry at the destination, with a counterpart at the source */
  addLink({ realPath, remote }: Pick<Entry, 'realPath' | 'remote'>): void {
    const target = this.isUp ? remote?.id : realPath && this.names.key(realPath);
    if (target !== undefined) this.linkTargets.add(target);
  }

  /** Completes the plan once all folders are listed. @throws `conflict` */
  finish(): void {
    for (const file of this.newer) {
      if (this.keepsTimes) this.addTransfer(file);
      else if (this.request.compare === 'checksum') this.skipUnknown(file, filePath(file));
      else this.unchanged += 1;
    }
    this.newer = [];
    this.folders = this.folders.filter(({ isNeeded }) => isNeeded);
    for (const { path, isBlocked } of this.folders)
      if (isBlocked) this.addConflict('conflict_sync_kinds', path);
    for (const [text, paths] of this.conflicts) {
      const listed = [...paths].sort().slice(0, MAX_PATHS);
      if (paths.size > MAX_PATHS) listed.push(`+${paths.size - MAX_PATHS}`);
      throw new DriveError('conflict', { text, params: { count: paths.size, paths: listed.join(', ') } });
    }
    this.checkRemovals();
  }

  private checkRemovals(): void {
    const { maxRemovals } = this.request;
    if (this.linkTargets.size > 0) this.keepLinked();
    // A folder that no pattern includes stays, and so do those that contain it.
    for (const folder of this.extraFolders) {
      if (!folder.hasExtraFiles && !this.selectsEmpty(folder.path)) folder.keep();
    }
    this.extraFolders = this.extraFolders.filter(({ isKept }) => !isKept);
    const count = this.extraFiles.length;
    if (count + this.extraFolders.length === 0) return;
    if (this.changes.counts.failed > 0) {
      // What couldn't be read may exist at the source.
      this.extraFiles = [];
      this.extraFolders = [];
      return;
    }
    if (this.sourceFiles === 0) {
      const params = { count: count + this.extraFolders.length };
      throw new DriveError('conflict', { text: 'conflict_sync_empty', params });
    }
    if (count > maxRemovals) {
      const params = { count, limit: maxRemovals };
      throw new DriveError('conflict', { text: 'conflict_sync_removals', params });
    }
  }

  /** What a link leads to may exist at the source under the name of the link. */
  private keepLinked(): void {
    const isLinked = (folder: SyncFolder): boolean =>
      [...folder.withParents()].some((each) => this.isLinkTarget(each.realPath, each.driveId));
    for (const folder of this.extraFolders) if (isLinked(folder)) folder.keep();
    this.extraFiles = this.extraFiles.filter(({ folder, name, remote }) => {
      const realPath = folder.realPath === undefined ? undefined : path.join(folder.realPath, name);
      const isKept = isLinked(folder) || this.isLinkTarget(realPath, remote?.id);
      if (isKept) folder.keep();
      return !isKept;
    });
  }

  private isLinkTarget(realPath: string | undefined, id: string | undefined): boolean {
    return this.linkTargets.has((this.isUp ? id : realPath && this.names.key(realPath)) ?? '');
  }
}

/** The listings of one folder; undefined where it doesn't exist. */
export interface FolderListing {
  local: LocalListing | undefined;
  remote: readonly DriveEntry[] | undefined;
}

const NO_ENTRIES: LocalListing = { entries: [], parts: [] };

/** A file or folder on one side. */
interface Entry {
  /** On disk. */
  name: string;
  /** As its side has it. */
  ownName: string;
  /** Of the export of a document: the document's name. */
  exportOf?: string | undefined;
  /** Equal for both sides. */
  key: string;
  path: string;
  kind: 'file' | 'folder' | 'document' | 'blocked';
  local?: LocalFile | undefined;
  realPath?: string | undefined;
  remote?: RemoteFile;
  /**
   * At the destination, it stands for something elsewhere: a shortcut, a symbolic link that is followed, another disk.
   */
  isLink?: boolean | undefined;
  isRenamed?: boolean;
  reason?: SyncReason | undefined;
}

/** Adds what has to be done in a folder. @returns the folders in it that have to be listed too */
export function planFolder(
  plan: Plan,
  folder: SyncFolder,
  { local = NO_ENTRIES, remote = [] }: FolderListing,
): SyncFolder[] {
  const { entries, parts } = local;
  // A download removes part files first; those in use keep their folder.
  const omitted = new Set(plan.isUp ? reservingNames(local) : parts);
  const locals = entries
    .filter(({ name }) => !omitted.has(name))
    .map((entry) => fromLocal(plan, folder, entry));
  const remotes = plan.isUp
    ? fromDriveUp(plan, folder, remote, locals)
    : fromDriveDown(plan, folder, remote, locals);
  const [source, destination] = plan.isUp ? [locals, remotes] : [remotes, locals];
  for (const name of parts) plan.parts.push({ folder, name });
  const unselected = new Set<string>();
  const keep = ({ key }: Entry): void => {
    folder.keep();
    unselected.add(key);
  };
  const counterparts = byKey(plan, selected(plan, destination, keep), () => folder.keep());
  // They belong to no side, but their names exist on disk.
  if (plan.isUp) for (const name of [...parts, ...omitted]) counterparts.delete(plan.names.key(name));
  const hidden = new Set<string>();
  const sources = byKey(
    plan,
    selected(plan, source, ({ key }) => hidden.add(key)),
    (entry) => reportBlocked(plan, entry),
  );
  // A blocked entry may stand for a folder, so its counterpart stays even if the filters don't include its name.
  for (const { key, kind } of source) {
    if (kind === 'blocked' && !sources.has(key) && counterparts.delete(key)) folder.keep();
  }
  const matches = { sources, counterparts, unselected, hidden };
  return [...planSources(plan, folder, matches), ...planExtras(plan, folder, matches)];
}

/** Empty files that a killed download may have left beside its part, to reserve the name: see download/commit.ts. */
function reservingNames({ entries, parts }: LocalListing): string[] {
  const targets = new Set(parts.map((name) => parsePartName(name)?.target));
  const isReserving = ({ name, file }: LocalEntry): boolean =>
    file?.size === 0 && targets.has(targetInPartName(name));
  return targets.size > 0 ? entries.filter(isReserving).map(({ name }) => name) : [];
}

function reportBlocked(plan: Plan, { path, reason, remote: { id } = {} as RemoteFile }: Entry): void {
  plan.skip(path, reason ?? 'workspace_document', { id });
}

interface Matches {
  sources: Map<string, Entry>;
  /** At the destination. What has a source is removed. */
  counterparts: Map<string, Entry>;
  /** Keys of entries that aren't selected, at the destination and at the source. */
  unselected: Set<string>;
  hidden: Set<string>;
}

function planSources(
  plan: Plan,
  folder: SyncFolder,
  { sources, counterparts, unselected }: Matches,
): SyncFolder[] {
  const inside: SyncFolder[] = [];
  for (const entry of sources.values()) {
    const counterpart = counterparts.get(entry.key);
    counterparts.delete(entry.key);
    if (entry.kind === 'file') plan.addSourceFile();
    if (entry.kind === 'blocked') reportBlocked(plan, entry);
    else {
      const planned = planEntry(plan, folder, entry, counterpart);
      if (!planned) continue;
      if (!counterpart) planned.isBlocked = unselected.has(entry.key);
      inside.push(planned);
    }
  }
  return inside;
}

function planExtras(plan: Plan, folder: SyncFolder, { counterparts, hidden }: Matches): SyncFolder[] {
  const inside: SyncFolder[] = [];
  for (const entry of counterparts.values()) {
    const extra = planExtra(plan, folder, entry);
    // The source has something of that name.
    if (hidden.has(entry.key)) extra?.keep();
    if (extra) inside.push(extra);
  }
  return inside;
}

function fromLocal(plan: Plan, folder: SyncFolder, entry: LocalEntry): Entry {
  const { name, kind, file, realPath, reason, isLink, isForeign } = entry;
  const path = folder.pathOf(name);
  if (reason === 'loop' || (reason === 'symlink' && plan.request.symlinks === 'error')) {
    const text = reason === 'loop' ? 'conflict_sync_loop' : 'conflict_sync_symlinks';
    if (plan.selects(path, false)) plan.addConflict(text, path);
  }
  return {
    name,
    ownName: name,
    key: plan.names.key(name),
    path,
    kind,
    local: file,
    realPath,
    reason: reason === 'loop' ? 'symlink' : reason,
    isLink: (isLink || isForeign) && !plan.isUp,
  };
}

/** A name that a disk couldn't store is recognized by its name there. */
function fromDriveUp(
  plan: Plan,
  folder: SyncFolder,
  remote: readonly DriveEntry[],
  locals: readonly Entry[],
): Entry[] {
  const localNames = new Map(locals.map(({ key, name }) => [key, name]));
  const exactKeys = new Set(remote.map(({ name }) => plan.names.key(name)));
  return remote.map((entry) => {
    const exactKey = plan.names.key(entry.name);
    const safeKey = [false, true]
      .map((isWindows) => plan.names.key(toDiskName(entry.name, isWindows)))
      .find((each) => localNames.has(each) && !exactKeys.has(each));
    const key = localNames.has(exactKey) ? exactKey : (safeKey ?? exactKey);
    const name = localNames.get(key) ?? plan.names.toDisk(entry.name);
    return { isLink: entry.isShortcut, name, key, path: folder.pathOf(name), ...commonOf(entry) };
  });
}

function fromDriveDown(
  plan: Plan,
  folder: SyncFolder,
  listed: readonly DriveEntry[],
  locals: readonly Entry[],
): Entry[] {
  const localNames = new Map(locals.map(({ key, name }) => [key, name]));
  const { exportFormat } = plan.request;
  return listed.map((entry) => {
    const isExport = entry.kind === 'document' && exportFormat !== '';
    const ownName = isExport ? nameOfExport(entry.name, exportFormat) : entry.name;
    const diskName = plan.names.toDisk(ownName, (each) => localNames.has(plan.names.key(each)));
    const key = plan.names.key(diskName);
    const name = localNames.get(key) ?? diskName;
    const { time } = entry.file;
    // What the disk can't store isn't compared, or the file would differ in every run.
    const remote = { ...entry.file, time: time === undefined ? undefined : plan.names.toDiskTime(time) };
    const path = folder.pathOf(name);
    const exportOf = isExport ? entry.name : undefined;
    const common = Object.assign(commonOf(entry), { remote, ownName, exportOf, name, key, path });
    const isRenamed = diskName !== ownName;
    // On disk, the copy of a part file or work folder would be taken for one of this disk.
    if (isReservedName(diskName)) return { ...common, kind: 'blocked', reason: 'reserved_name' };
    if (entry.kind !== 'document') return Object.assign(common, { isRenamed });
    if (!isExport) return { ...common, kind: 'blocked' };
    return plan.canExport(entry.mimeType ?? '')
      ? { ...common, isRenamed, kind: 'file' }
      : { ...common, kind: 'blocked', reason: 'no_export_format' };
  });
}

function commonOf({ name, kind, file, reason }: DriveEntry): Omit<Entry, 'name' | 'key' | 'path'> {
  const isShortcut = kind === 'shortcut';
  return {
    ownName: name,
    remote: file,
    kind: isShortcut ? 'blocked' : kind,
    reason: isShortcut ? 'shortcut' : reason,
  };
}

function selected(plan: Plan, entries: readonly Entry[], onFiltered: (entry: Entry) => void): Entry[] {
  return entries.filter((entry) => {
    const isSelected = plan.selects(entry.path, entry.kind === 'folder');
    if (!isSelected) onFiltered(entry);
    return isSelected;
  });
}

/** @param onDropped called for what isn't synchronized and has the name of something else */
function byKey(plan: Plan, entries: readonly Entry[], onDropped: (entry: Entry) => void): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const entry of entries) {
    const other = found.get(entry.key);
    if (!other || !isSynchronized(other)) found.set(entry.key, entry);
    if (!other) continue;
    if (!isSynchronized(other)) onDropped(other);
    else if (!isSynchronized(entry)) onDropped(entry);
    else plan.addConflict(...nameConflict(entry, other));
  }
  return found;
}

/** @returns why two entries can't both be on disk, and which they are */
function nameConflict(entry: Entry, other: Entry): [PathConflict, string] {
  const { path, ownName, exportOf } = entry;
  if (exportOf !== undefined || other.exportOf !== undefined) {
    // The document first.
    const both = exportOf === undefined ? [other, entry] : [entry, other];
    const names = both.map((each) => each.exportOf ?? each.ownName);
    return ['conflict_sync_exports', `${names.join(' + ')} → ${path}`];
  }
  const isSameName = ownName.normalize('NFC') === other.ownName.normalize('NFC');
  return [isSameName ? 'conflict_sync_duplicates' : 'conflict_sync_names', path];
}

function isSynchronized({ kind }: Entry): boolean {
  return kind === 'file' || kind === 'folder';
}

/** @returns the folder if its content has to be listed */
function planEntry(
  plan: Plan,
  folder: SyncFolder,
  entry: Entry,
  counterpart: Entry | undefined,
): SyncFolder | undefined {
  if (counterpart?.isLink === true) plan.addLink(counterpart);
  if (counterpart?.kind === 'blocked') {
    const reason = counterpart.reason ?? 'special_file';
    plan.skip(entry.path, reason, { id: (entry.remote ?? counterpart.remote)?.id, size: entry.local?.size });
  } else if (counterpart && (counterpart.kind === 'folder') !== (entry.kind === 'folder')) {
    plan.addConflict('conflict_sync_kinds', entry.path);
  } else if (counterpart?.kind === 'document') {
    plan.skip(entry.path, 'workspace_document', { id: counterpart.remote?.id, size: entry.local?.size });
  } else if (entry.kind === 'folder') {
    return subfolder(plan, folder, [entry, counterpart]);
  } else {
    planFile(plan, folder, [entry, counterpart]);
  }
  return undefined;
}

type Pair = readonly [Entry, Entry | undefined];

function planFile(plan: Plan, folder: SyncFolder, [entry, counterpart]: Pair): void {
  const file = toFile(folder, [entry, counterpart]);
  const { local, remote } = file;
  if (!local || !remote) plan.addTransfer(file);
  else plan.addCompared(file, compareFiles(local, remote, plan.request), entry.path);
}

function toFile(folder: SyncFolder, [entry, counterpart]: Pair): SyncFile {
  const { name, isRenamed = false } = entry;
  const local = entry.local ?? counterpart?.local;
  const remote = entry.remote ?? counterpart?.remote;
  return { folder, name, local, remote, isRenamed };
}

function subfolder(plan: Plan, parent: SyncFolder, [entry, counterpart]: Pair): SyncFolder {
  const folder = new SyncFolder(parent, entry.name);
  const sides = [entry, counterpart];
  folder.driveId = sides.find((side) => side?.remote)?.remote?.id;
  folder.onDisk = sides.some((side) => side && !side.remote);
  folder.realPath = sides.find((side) => side?.realPath)?.realPath;
  folder.isShared = parent.isShared || sides.some((side) => side?.isLink);
  if (counterpart) folder.need();
  else {
    plan.folders.push(folder);
    if (plan.selectsEmpty(folder.path)) folder.need();
  }
  return folder;
}

/** Something that exists only at the destination. @returns the folder if its content has to be listed */
function planExtra(plan: Plan, folder: SyncFolder, entry: Entry): SyncFolder | undefined {
  const isElsewhere = folder.isShared || entry.isLink === true;
  // Nothing on disk could restore it.
  if (entry.kind === 'document' && plan.request.extra !== 'keep')
    plan.skip(entry.path, 'workspace_document', { id: entry.remote?.id });
  if (!isSynchronized(entry) || isElsewhere) folder.keep();
  else if (plan.request.extra !== 'keep') {
    if (entry.kind === 'file') plan.addExtra(toFile(folder, [entry, undefined]));
    else {
      const extra = subfolder(plan, folder, [entry, undefined]);
      plan.folders.pop();
      extra.isExtra = true;
      plan.extraFolders.push(extra);
      return extra;
    }
  }
  return undefined;
}

/** As {@link exportName}, before the service is asked for its formats. */
function nameOfExport(name: string, format: string): string {
  const mimeType = format.includes('/') ? format : mimeTypeByName(format.replace(/^\./, ''));
  if (mimeType !== undefined) return exportName(name, mimeType);
  return `${name}.${format.replace(/^\./, '')}`;
}
