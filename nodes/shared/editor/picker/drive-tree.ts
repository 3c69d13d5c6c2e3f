/**
 * The folder tree of a dialog: it loads folders when they are expanded, page by page. Those of a drive are from the
 * routes in nodes/account/browse, through `BrowseClient`. It uses Node-RED's treeList; `tree-accessibility` adds what
 * the widget lacks for screen readers.
 */
import type { FilePage, ListedFile } from '../../contract/dialog-api';
import { errorText } from '../admin-request';
import type { ListQuery } from '../browse-client';
import { fileIcon, fileRow } from '../file-row';
import { sharedText } from '../shared-text';
import { makeTreeAccessible, setTreeItemRole } from './tree-accessibility';

/** Lists the folders of a tree. */
export interface TreeSource {
  list(query: ListQuery): Promise<FilePage>;
  /** True after the tree was closed. */
  readonly isAborted: boolean;
  /** Whether it searches as Google does, by the beginnings of words. */
  readonly isGoogle?: boolean;
}

/** A file or folder in the tree. */
export interface DriveItem {
  id: string;
  name: string;
  isFolder: boolean;
  /** Undefined for search results until it is fetched. */
  path?: string;
  /** Whether it is the root of a drive. */
  isRoot?: boolean;
}

/** The first row, which is always expanded. */
export interface TreeRoot {
  name: string;
  icon: string;
  query: Row['query'];
  /** The root of a drive; a list has none. */
  file?: DriveItem;
  /** For the paths of what a list contains. */
  path?: string;
}

/** A row of the tree: a file, a folder or other branch, a note, or "show more". */
interface Row extends TreeListItem<Row> {
  file?: DriveItem;
  /** What a branch lists. */
  query?: Pick<ListQuery, 'folder' | 'list' | 'text' | 'drive'>;
  /** For the paths of its children, if it is no file. */
  path?: string;
  /** Resolves when the first page of a branch is shown. */
  loaded?: Promise<void>;
  /** Of a "show more" row: the branch, and the token of its next page. */
  more?: { branch: Row; page: string; state: 'idle' | 'loading' | 'failed' };
}

interface BranchOptions extends Pick<Row, 'file' | 'query' | 'path'> {
  element: JQuery;
  icon: string;
  isRoot?: boolean;
}

interface TreeChecks {
  /** Undefined for what can't be ticked. */
  state(item: DriveItem): CheckState | undefined;
  toggle(item: DriveItem): void;
}

type CheckState = 'true' | 'false' | 'mixed';

/** Classes of Font Awesome. */
const CHECK_ICONS: Readonly<Record<CheckState, string>> = {
  true: 'fa-check-square',
  false: 'fa-square-o',
  mixed: 'fa-minus-square-o',
};

export interface DriveTreeOptions {
  element: JQuery;
  client: TreeSource;
  kind: 'folders' | 'any';
  /** Called with the first page of the account's root. */
  onRoot?(page: FilePage): void;
  /** Files and folders that can be ticked, with the mouse or the space bar. */
  checks?: TreeChecks;
  /** Called with undefined if the selected row is not a file or folder. */
  onSelect(item: DriveItem | undefined): void;
  /** Called for Enter or a double click on a file. */
  onConfirm(): void;
  /** Called if nothing can be shown, with a message for the user. */
  onFailure(message: string): void;
}

export class DriveTree {
  private readonly tree: JQuery;
  private root: Row | undefined;
  private selected: Row | undefined;

  constructor(private readonly options: DriveTreeOptions) {
    this.tree = options.element.treeList<Row>({ data: [], selectable: true });
    makeTreeAccessible(this.tree, sharedText('browse.tree'));
    // Before the widget's own listener, for which the space bar expands a folder.
    options.element[0]?.addEventListener('keydown', (event) => this.onKeydown(event), { capture: true });
    // The widget passes an empty object when the selection is cleared.
    this.tree.on('treelistselect', (_event, row: Partial<Row>) =>
      this.select(row.element ? (row as Row) : undefined),
    );
    this.tree.on('treelistconfirm', (_event, row: Row) => {
      if (row.more) void this.loadMore(row);
      else if (row.file) this.options.onConfirm();
    });
  }

  /** @param root the account's root by default */
  show(root: TreeRoot = accountRoot(sharedText('browse.root'), 'fa fa-cloud')): void {
    this.root = this.branch({ ...root, element: $('<div>').text(root.name), isRoot: true });
    this.selected = undefined;
    this.tree.treeList('data', [this.root]);
  }

  /** The selected folder, or the folder of the selected file; otherwise the root, if it is a folder. */
  get currentFolder(): DriveItem | undefined {
    let row = this.selected;
    while (row && !row.file?.isFolder) row = row.parent;
    return (row ?? this.root)?.file;
  }

  /** Adds a newly created folder to the tree, and selects it. */
  async add(folder: ListedFile, parent: DriveItem | undefined): Promise<void> {
    const branch = this.find(this.root, parent) ?? this.root;
    if (!branch) return;
    branch.treeList?.expand();
    await branch.loaded;
    if (!this.isShown(branch)) return;
    const existing = this.find(branch, { id: folder.id });
    const row = existing ?? this.listedRow(folder, branch);
    if (!existing) branch.treeList?.insertChildAt(row, 0);
    // Remove the note that the folder is empty.
    for (const other of childRows(branch)) if (!other.file && !other.more) other.treeList?.remove();
    this.tree.treeList('select', row);
    this.tree.treeList('reveal', row);
  }

  /** False after the tree was replaced or closed. The widget throws if a row is changed then. */
  private isShown(row: Row): boolean {
    let top = row;
    while (top.parent) top = top.parent;
    return top === this.root && !this.options.client.isAborted;
  }

  private select(row: Row | undefined): void {
    this.selected = row;
    if (row?.more?.state === 'idle') void this.loadMore(row);
    this.options.onSelect(row?.file);
  }

  private find(row: Row | undefined, file: { id: string } | undefined): Row | undefined {
    if (!row || !file) return undefined;
    if (row.file?.id === file.id) return row;
    for (const child of childRows(row)) {
      const found = this.find(child, file);
      if (found) return found;
    }
    return undefined;
  }

  private branch({ file, query, element, icon, path, isRoot = false }: BranchOptions): Row {
    const row: Row = {
      id: `item ${file?.id ?? ''}`,
      element: setTreeItemRole(element, { isExpanded: isRoot }),
      icon,
      query,
      path,
      file,
      expanded: isRoot,
      collapsible: !isRoot,
      children: (done) => {
        row.loaded = this.loadFirstPage(row, isRoot).then((rows) => {
          if (!this.isShown(row)) return;
          row.children = rows;
          done(rows);
        });
      },
    };
    return row;
  }

  private listedRow(listed: ListedFile, parent: Row): Row {
    const { id, name, isFolder } = listed;
    const parentPath = parent.file ? parent.file.path : parent.path;
    const path = parentPath === undefined ? undefined : `${parentPath === '/' ? '' : parentPath}/${name}`;
    const file = { id, name, isFolder, path };
    const { icon = fileIcon(listed) } = listed;
    const element = fileRow(listed);
    const row = isFolder
      ? this.branch({ file, query: { folder: id }, element, icon })
      : { id: `item ${id}`, element: setTreeItemRole(element), icon, file };
    this.addCheck(row);
    return row;
  }

  private addCheck(row: Row): void {
    if (!row.file || this.options.checks?.state(row.file) === undefined) return;
    const box = $('<i class="fa cloud-drive-box" aria-hidden="true">').prependTo(row.element);
    // Otherwise the widget expands the folder.
    box.on('dblclick', (event) => event.stopPropagation());
    box.on('click', (event) => {
      event.stopPropagation();
      this.toggle(row);
    });
    this.showCheck(row);
  }

  private toggle(row: Row): void {
    if (!row.file || this.options.checks?.state(row.file) === undefined) return;
    this.tree.treeList('select', row);
    this.options.checks.toggle(row.file);
    if (this.root) this.showChecks(this.root);
  }

  private showChecks(row: Row): void {
    this.showCheck(row);
    for (const child of childRows(row)) this.showChecks(child);
  }

  private showCheck({ file, element }: Row): void {
    const state = file && this.options.checks?.state(file);
    if (state === undefined) return;
    element.attr('aria-checked', state);
    const box = element.children('.cloud-drive-box').removeClass(Object.values(CHECK_ICONS));
    box.addClass(CHECK_ICONS[state]);
  }

  private onKeydown(event: KeyboardEvent): void {
    if (event.key !== ' ' || !this.options.checks || !this.selected?.file) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.toggle(this.selected);
  }

  private async loadFirstPage(branch: Row, isRoot: boolean): Promise<Row[]> {
    try {
      const rows = await this.loadPage(branch, '');
      return rows.length > 0 ? rows : [note(this.emptyText(branch))];
    } catch (error) {
      const message = errorText(error);
      if (isRoot && this.isShown(branch)) this.options.onFailure(message);
      return [this.failedRow(branch, '', message)];
    }
  }

  private emptyText({ query }: Row): string {
    const { kind, client } = this.options;
    if (query?.text !== undefined)
      return sharedText(client.isGoogle ? 'browse.none_found_google' : 'browse.none_found');
    const what = kind === 'folders' ? 'no_folders' : 'empty';
    return sharedText(query?.list === undefined ? `browse.${what}` : `browse.${what}_list`);
  }

  /** @returns the rows of a page, followed by a "show more" row unless it is the last page */
  private async loadPage(branch: Row, page: string): Promise<Row[]> {
    const { client, kind } = this.options;
    const listed = await client.list({ ...branch.query, kind, page });
    const { files, nextPage } = listed;
    if (branch.file?.id === '') {
      branch.file.id = listed.rootId;
      if (listed.rootId !== 'root') branch.element.text((branch.file.name = rootName(listed)));
      this.options.onRoot?.(listed);
    }
    // Files that are added meanwhile move others to the next page.
    const shown = new Set(childRows(branch).map(({ file }) => file?.id));
    const rows = files.filter(({ id }) => !shown.has(id)).map((file) => this.listedRow(file, branch));
    if (nextPage === undefined) return rows;
    return [...rows, this.moreRow(branch, nextPage, 'idle', sharedText('browse.more'))];
  }

  private failedRow(branch: Row, page: string, message: string): Row {
    return this.moreRow(branch, page, 'failed', `${message} ${sharedText('browse.try_again_row')}`);
  }

  private moreRow(branch: Row, page: string, state: 'idle' | 'failed', text: string): Row {
    const row = { ...note(text), more: { branch, page, state } };
    row.element.toggleClass('cloud-drive-bad', state === 'failed');
    row.element.on('click', () => {
      if (row.more.state === 'failed') void this.loadMore(row);
    });
    return row;
  }

  /** Replaces a "show more" row with the rows of the next page. */
  private async loadMore(row: Row): Promise<void> {
    const { more, element } = row;
    if (!more || more.state === 'loading') return;
    more.state = 'loading';
    element.removeClass('cloud-drive-bad').text(sharedText('browse.loading'));
    let rows: Row[];
    try {
      rows = await this.loadPage(more.branch, more.page);
    } catch (error) {
      rows = [this.failedRow(more.branch, more.page, errorText(error))];
    }
    if (!this.isShown(row) || !row.treeList || !more.branch.treeList) return;
    const wasSelected = this.selected === row;
    if (rows.length === 0 && childRows(more.branch).length === 1) rows = [note(this.emptyText(more.branch))];
    row.treeList.remove();
    for (const each of rows) more.branch.treeList.addChild(each);
    if (wasSelected && rows[0]) this.tree.treeList('select', rows[0]);
  }
}

/** @param name until the first page is loaded */
export function accountRoot(name: string, icon: string): TreeRoot {
  const file = { id: '', name, isFolder: true, path: '/', isRoot: true };
  return { name, icon, query: { folder: '' }, file };
}

/** Of the account's root. The root of a shared drive has an id of its own. */
export function rootName({ rootId, rootName: name }: FilePage): string {
  if (rootId === 'appDataFolder') return sharedText('scope.appdata');
  return name ?? sharedText(rootId === 'root' ? 'browse.root' : 'browse.shared_root');
}

/** @returns a copy, because removing a row changes the widget's array */
function childRows({ children }: Row): Row[] {
  return Array.isArray(children) ? [...children] : [];
}

let noteCount = 0;

/** A row with text instead of a file. */
function note(text: string): Row {
  const element = $('<div class="cloud-drive-note">').text(text);
  return { id: `note ${++noteCount}`, element: setTreeItemRole(element), class: 'cloud-drive-note-label' };
}
