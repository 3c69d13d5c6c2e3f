/**
 * The picker for backups: archives or snapshots in a folder, newest first, which open as trees. What is ticked in one of them
 * becomes `include`.
 */
import type {
  BackupEntries,
  BrowsedBackups,
  FilePage,
  ListedBackup,
  ListedFile,
} from '../shared/contract/dialog-api';
import { adminRequest } from '../shared/editor/admin-request';
import type { ListQuery } from '../shared/editor/browse-client';
import { isTimeZone } from '../shared/editor/input-checks';
import { accountRoot, type DriveItem, DriveTree } from '../shared/editor/picker/drive-tree';
import { PickerTray } from '../shared/editor/picker/picker-tray';
import { sharedText } from '../shared/editor/shared-text';
import {
  EntryTree,
  fromIncludeLine,
  Ticks,
  type TickState,
  toIncludeLine,
  type TreeEntry,
} from './entry-tree';
import { percentOf, runWork, workBody } from './work-client.editor';
import { isLiteral } from '../shared/contract/values';
import { field, fieldValue, openSection } from '../shared/editor/fields';
import { dialogSettings } from '../shared/editor/dialog-test';
import { pickDriveFile } from '../shared/editor/picker/picker-button';

interface PickedBackup {
  backup: ListedBackup;
  /** Lines; undefined if nothing in the backup was looked at. */
  include: string[] | undefined;
}

interface BackupPickerOptions {
  node: EditorNode;
  from: 'archives' | 'snapshots';
  account: string;
  /** Of the requests. */
  body: object;
  /** The lines of the dialog. */
  include: readonly string[];
  onPick: (picked: PickedBackup) => void;
  /** As in {@link PickerTray}. */
  onClosed: () => void;
}

const PAGE_SIZE = 200;
const MOST_SHOWN = 3;

function openBackupPicker(options: BackupPickerOptions): void {
  new BackupPicker(options).show(options.node._(`browse.title_${options.from}`));
}

/** A row: a backup, or an entry of one. */
interface Place {
  backup: ListedBackup;
  /** `''` for the backup itself. */
  path: string;
}

class BackupPicker extends PickerTray {
  /** The names of archives are long, and the time of day is shown. */
  protected override readonly width = 720;
  private readonly hint = $('<p class="cloud-drive-hint">');
  /** By the ids of the rows. */
  private readonly places = new Map<string, Place>();
  /** By the ids of the backups. */
  private readonly trees = new Map<string, EntryTree>();
  private ticked: { backup: ListedBackup; ticks: Ticks; otherLines: string[] } | undefined;
  private current: Place | undefined;
  /** Of the times, as of a typed date: the server's. The browser may not know it. */
  private timeZone: string | undefined;

  constructor(private readonly options: BackupPickerOptions) {
    super(options.onClosed);
  }

  protected fill(picker: JQuery): void {
    const { node, from } = this.options;
    this.hint.text(node._('browse.hint'));
    picker.append(this.hint, this.failure, this.treeElement, this.chosenLine);
    const tree = new DriveTree({
      element: this.treeElement,
      client: this,
      kind: 'any',
      onSelect: (item) => this.select(item),
      onConfirm: () => this.pickSelected(),
      onFailure: (message) => this.showFailure(message),
      checks: { state: (item) => this.tickState(item), toggle: (item) => this.toggle(item) },
    });
    this.select(undefined);
    tree.show(accountRoot(node._(`browse.root_${from}`), 'fa fa-archive'));
  }

  async list({ folder = '', page }: ListQuery): Promise<FilePage> {
    const offset = Number(page);
    const place = this.places.get(folder);
    const all = place ? await this.listEntries(place) : await this.listBackups();
    const next = offset + PAGE_SIZE;
    const files = all.slice(offset, next);
    return { files, rootId: 'root', ...(next < all.length && { nextPage: String(next) }) };
  }

  protected pickSelected(): void {
    const picked = this.picked();
    if (!picked) return;
    this.options.onPick(picked);
    this.close();
  }

  /** @throws an error to show */
  private async listBackups(): Promise<ListedFile[]> {
    const { node, from, account, body } = this.options;
    if (account === '') throw new Error(sharedText('browse.no_account'));
    const options = { node: 'cloud-drive-restore', body, signal: this.controller.signal };
    const { backups, timeZone } = await adminRequest<BrowsedBackups>('POST', [account, 'backups'], options);
    if (backups.length === 0) throw new Error(node._(`browse.none_${from}`));
    this.useTimeZone(timeZone);
    return backups.map((backup) => {
      const { name, size, time, complete, selected } = backup;
      const marks = [complete ? '' : node._('browse.incomplete'), selected ? node._('browse.selected') : ''];
      return {
        ...this.row({ backup, path: '' }, name, true),
        icon: 'fa fa-archive',
        // There may be several backups of a day.
        ...{ size, modifiedTime: time, showsMinute: true, mark: marks.filter(Boolean).join(' · ') },
      };
    });
  }

  private useTimeZone(zone: string): void {
    if (!isTimeZone(zone)) return;
    this.timeZone = zone;
    if (zone === Intl.DateTimeFormat().resolvedOptions().timeZone) return;
    const { node } = this.options;
    this.hint.text(`${node._('browse.hint')} ${node._('browse.zone', { zone })}`);
  }

  private async listEntries({ backup, path }: Place): Promise<ListedFile[]> {
    const tree = this.trees.get(backup.id) ?? (await this.load(backup));
    return tree.children(path).map((entry) => this.entryRow(backup, entry));
  }

  private async load(backup: ListedBackup): Promise<EntryTree> {
    const { node, account, body, include } = this.options;
    const { name } = backup;
    this.chosenLine.text(node._('browse.reading', { name }));
    const { signal } = this.controller;
    const { entries, more } = await runWork<BackupEntries>(
      [account, 'entries'],
      { ...body, backup: backup.id },
      {
        signal,
        onProgress: (progress) => {
          const percent = percentOf(progress);
          if (percent !== undefined)
            this.chosenLine.text(node._('browse.reading_percent', { name, percent }));
        },
      },
    ).finally(() => this.showSelected());
    const tree = new EntryTree(entries);
    this.trees.set(backup.id, tree);
    if (more) this.hint.text(node._('browse.more', { count: entries.length.toLocaleString() }));
    if (this.ticked === undefined) this.ticked = { backup, ...ticksOf(tree, include) };
    this.showSelected();
    return tree;
  }

  private entryRow(
    backup: ListedBackup,
    { path, name, isFolder, size, modifiedTime }: TreeEntry,
  ): ListedFile {
    const time = modifiedTime === null ? undefined : new Date(modifiedTime).toISOString();
    return {
      ...this.row({ backup, path }, name, isFolder),
      ...(!isFolder && { size }),
      modifiedTime: time,
    };
  }

  private row(place: Place, name: string, isFolder: boolean): ListedFile {
    return { id: this.remember(place), name, mimeType: '', isFolder, timeZone: this.timeZone };
  }

  private remember(place: Place): string {
    const id = `${place.backup.id} ${place.path}`;
    this.places.set(id, place);
    return id;
  }

  /** Only entries can be ticked. */
  private tickState({ id }: DriveItem): TickState | undefined {
    const place = this.places.get(id);
    if (!place || place.path === '') return undefined;
    return this.ticked?.backup.id === place.backup.id ? this.ticked.ticks.state(place.path) : 'false';
  }

  private toggle({ id }: DriveItem): void {
    const { backup, path = '' } = this.places.get(id) ?? {};
    const tree = backup && this.trees.get(backup.id);
    if (!tree || path === '') return;
    // Entries are restored from one backup.
    if (this.ticked?.backup.id !== backup.id)
      this.ticked = { backup, ticks: new Ticks(tree, []), otherLines: [] };
    this.ticked.ticks.toggle(path);
    this.showSelected();
  }

  private select(item: DriveItem | undefined): void {
    this.current = item && this.places.get(item.id);
    this.showSelected();
  }

  /** What is ticked; otherwise the current row. */
  private picked(): (PickedBackup & { paths: string[] }) | undefined {
    const { current, ticked } = this;
    const paths = ticked?.ticks.paths ?? [];
    if (ticked && paths.length > 0)
      return { backup: ticked.backup, paths, include: [...ticked.otherLines, ...paths.map(toIncludeLine)] };
    if (!current) return undefined;
    const { backup, path } = current;
    if (path !== '') return { backup, paths: [path], include: [toIncludeLine(path)] };
    return { backup, paths: [], include: ticked?.backup.id === backup.id ? ticked.otherLines : undefined };
  }

  private showSelected(): void {
    const picked = this.picked();
    this.enableOk(picked !== undefined);
    if (!picked) return void this.chosenLine.text(sharedText('browse.nothing_chosen'));
    const { backup, paths } = picked;
    const more = paths.length > MOST_SHOWN ? `, +${(paths.length - MOST_SHOWN).toLocaleString()}` : '';
    const shown = paths.slice(0, MOST_SHOWN).join(', ') + more;
    const text = shown === '' ? backup.name : `${backup.name}: ${shown}`;
    this.showChosen(text);
  }
}

/** The lines of `include` that are paths in the backup, as ticks. */
function ticksOf(tree: EntryTree, lines: readonly string[]): { ticks: Ticks; otherLines: string[] } {
  const pathOf = (line: string): string | undefined => {
    const path = fromIncludeLine(line);
    return path !== undefined && tree.has(path) ? path : undefined;
  };
  const paths = lines.map(pathOf).filter((path) => path !== undefined);
  return { ticks: new Ticks(tree, paths), otherLines: lines.filter((line) => pathOf(line) === undefined) };
}

/** The button that opens the picker. */
export function initBrowseButton(node: EditorNode): void {
  const button = $('#cloud-drive-browse');
  const hint = $('#cloud-drive-browse-hint');
  // Looked up now: while the picker is open, the dialog is not in the document.
  const [which, select, include] = ['which', 'select', 'include'].map((name) => $(`#node-input-${name}`)) as [
    ...[JQuery, JQuery, JQuery],
  ];
  button.on('click', () => {
    const isKnown = isLiteral(field('folderType'), field('folder'));
    hint.text(isKnown ? '' : node._('browse.folder_unknown'));
    if (!isKnown) return;
    const account = field('account');
    const from = field('from') === 'snapshots' ? 'snapshots' : 'archives';
    const folder = field('folderType') === 'drive' ? field('folderPath') : field('folder');
    openBackupPicker({
      ...{ node, from },
      account: account === '_ADD_' ? '' : account,
      body: workBody(node, { settings: dialogSettings(node), examples: {} }),
      include: linesOf(include),
      onPick: (picked) => {
        if (!picked.backup.selected) setBackup(picked, { from, folder, which, select });
        if (picked.include) include.val(picked.include.join('\n'));
      },
      onClosed: () => {
        // The editor validates a field only while it is in the document.
        for (const input of [which, select, include]) input.trigger('change');
        if (fieldValue(include) !== '') openSection(include);
        button.trigger('focus');
      },
    });
  });
}

interface BackupFields {
  from: 'archives' | 'snapshots';
  /** Path, as far as it is known. */
  folder: string;
  which: JQuery;
  select: JQuery;
}

function setBackup({ backup }: PickedBackup, { from, folder, which, select }: BackupFields): void {
  const { id, name } = backup;
  if (from === 'archives') {
    which.val('file');
    return pickDriveFile(select, { id, path: `${folder.replace(/\/$/, '')}/${name}` });
  }
  which.val('id');
  select.typedInput('type', 'str');
  select.typedInput('value', id);
}

function linesOf(include: JQuery): string[] {
  const lines = fieldValue(include).split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}
