/**
 * The drive as a tree that is loaded as it is opened, a page at a time. The widget is Node-RED's treeList; what it lacks
 * for a screen reader is in `tree-access`.
 */
import type { ListedFile } from '../contract/browse-api';
import { reasonOf } from './admin-request';
import type { DriveRequests } from './drive-requests';
import { fileIcon, fileRow } from './file-row';
import { sharedText } from './texts';
import { readableTree, treeItem } from './tree-access';

/** What can be selected. */
export interface Entry {
  id: string;
  name: string;
  isFolder: boolean;
  /** Undefined for what a search found: it isn't known yet. */
  path?: string;
}

/** What a branch lists. */
type Source = { folder: string } | { text: string };

interface Item extends TreeListItem<Item> {
  /** Of a file or folder. */
  entry?: Entry;
  /** Of a branch. */
  source?: Source;
  /** Resolves when the first page is there. */
  loaded?: Promise<void>;
  /** Asks for what comes after the rows that are there. */
  more?: { of: Item; page: string; state: 'waiting' | 'loading' | 'failed' };
}

export interface DriveTreeOptions {
  element: JQuery;
  requests: DriveRequests;
  kind: 'folders' | 'any';
  /** Told what is selected; undefined for nothing that could be chosen. */
  onSelect(entry: Entry | undefined): void;
  /** Enter or a double click on a file. */
  onConfirm(): void;
  /** Nothing can be shown, and why. */
  onFailure(message: string): void;
}

export class DriveTree {
  private readonly tree: JQuery;
  private root: Item | undefined;
  private selected: Item | undefined;

  constructor(private readonly options: DriveTreeOptions) {
    this.tree = options.element.treeList<Item>({ data: [], selectable: true });
    readableTree(this.tree, sharedText('browse.tree'));
    // Where nothing is selected any more, it comes with an empty object.
    this.tree.on('treelistselect', (_event, item: Partial<Item>) =>
      this.select(item.element ? (item as Item) : undefined),
    );
    this.tree.on('treelistconfirm', (_event, item: Item) => {
      if (item.more) void this.loadMore(item);
      else if (item.entry) this.options.onConfirm();
    });
  }

  /** Shows the drive from its root. */
  showDrive(): void {
    const entry = { id: '', name: sharedText('browse.root'), isFolder: true, path: '/' };
    this.show(this.branch(entry, { folder: '' }, $('<div>').text(entry.name), 'fa fa-cloud'));
  }

  /** Shows what has the text in its name, anywhere on the drive. */
  showFound(text: string): void {
    const title = $('<div>').text(sharedText('browse.found'));
    this.show(this.branch(undefined, { text }, title, 'fa fa-search'));
  }

  /** The folder that is selected, or the one that holds what is; the root where neither is known. */
  get folder(): Entry | undefined {
    let item = this.selected;
    while (item && !item.entry?.isFolder) item = item.parent;
    return (item ?? this.root)?.entry;
  }

  /** Puts a folder that was just made into the tree, and selects it. */
  async add(file: ListedFile, parent: Entry | undefined): Promise<void> {
    const of = this.find(this.root, parent) ?? this.root;
    if (!of) return;
    await this.opened(of);
    if (!this.isShown(of)) return;
    const there = this.find(of, { id: file.id });
    const row = there ?? this.row(file, of);
    if (!there) of.treeList?.insertChildAt(row, 0);
    // It is no longer empty.
    for (const other of rowsOf(of)) if (!other.entry && !other.more) other.treeList?.remove();
    this.tree.treeList('select', row);
    this.tree.treeList('reveal', row);
  }

  private show(root: Item): void {
    this.root = root;
    this.tree.treeList('data', [root]);
  }

  /** Meanwhile something else may be shown, or nothing any more: the widget throws at what is done to its rows then. */
  private isShown(item: Item): boolean {
    let top = item;
    while (top.parent) top = top.parent;
    return top === this.root && !this.options.requests.isClosed;
  }

  private select(item: Item | undefined): void {
    this.selected = item;
    if (item?.more?.state === 'waiting') void this.loadMore(item);
    this.options.onSelect(item?.entry);
  }

  private opened(item: Item): Promise<void> {
    item.treeList?.expand();
    return item.loaded ?? Promise.resolve();
  }

  private find(item: Item | undefined, wanted: { id: string } | undefined): Item | undefined {
    if (!item || !wanted || item.entry?.id === wanted.id) return wanted && item;
    for (const child of rowsOf(item)) {
      const found = this.find(child, wanted);
      if (found) return found;
    }
    return undefined;
  }

  private branch(entry: Entry | undefined, source: Source, row: JQuery, icon: string): Item {
    const isRoot = entry === undefined || entry.id === '';
    const item: Item = {
      id: `item ${entry?.id ?? ''}`,
      element: treeItem(row, { isOpen: isRoot }),
      icon,
      source,
      ...(entry ? { entry } : {}),
      ...(isRoot ? { expanded: true, collapsible: false } : {}),
      children: (done) => {
        item.loaded = this.firstPage(item, isRoot).then((rows) => {
          if (!this.isShown(item)) return;
          item.children = rows;
          done(rows);
        });
      },
    };
    return item;
  }

  private row(file: ListedFile, parent: Item): Item {
    const above = parent.entry?.path;
    const path = above === undefined ? {} : { path: `${above === '/' ? '' : above}/${file.name}` };
    const entry = { id: file.id, name: file.name, isFolder: file.isFolder, ...path };
    const element = fileRow(file);
    if (file.isFolder) return this.branch(entry, { folder: file.id }, element, fileIcon(file));
    return { id: `item ${file.id}`, element: treeItem(element), icon: fileIcon(file), entry };
  }

  private async firstPage(item: Item, isRoot: boolean): Promise<Item[]> {
    try {
      const rows = await this.page(item, '');
      return rows.length > 0 ? rows : [note(this.nothingIn(item))];
    } catch (error) {
      const message = reasonOf(error);
      if (isRoot && this.isShown(item)) this.options.onFailure(message);
      return [this.failed(item, '', message)];
    }
  }

  private nothingIn({ source }: Item): string {
    const { kind, requests } = this.options;
    if (source && 'text' in source)
      return sharedText(requests.isGoogle ? 'browse.none_found_google' : 'browse.none_found');
    return sharedText(kind === 'folders' ? 'browse.no_folders' : 'browse.empty');
  }

  /** Rows for a page of a branch, and after them one that asks for the next. */
  private async page(of: Item, page: string): Promise<Item[]> {
    const { requests, kind } = this.options;
    const { files, nextPage, rootId } = await requests.list({ ...of.source, kind, page });
    if (of.entry?.id === '') {
      of.entry.id = rootId;
      // A shared drive has an id of its own.
      if (rootId !== 'root') of.element.text((of.entry.name = sharedText('browse.shared_root')));
    }
    const rows = files.map((file) => this.row(file, of));
    if (nextPage === undefined) return rows;
    return [...rows, this.moreRow(of, nextPage, 'waiting', sharedText('browse.more'))];
  }

  private failed(of: Item, page: string, message: string): Item {
    return this.moreRow(of, page, 'failed', `${message} ${sharedText('browse.try_again_row')}`);
  }

  private moreRow(of: Item, page: string, state: 'waiting' | 'failed', text: string): Item {
    const item = { ...note(text), more: { of, page, state } };
    item.element.toggleClass('cloud-drive-bad', state === 'failed');
    item.element.on('click', () => {
      if (item.more.state === 'failed') void this.loadMore(item);
    });
    return item;
  }

  private async loadMore(item: Item): Promise<void> {
    const { more, element } = item;
    if (!more || more.state === 'loading') return;
    more.state = 'loading';
    element.removeClass('cloud-drive-bad').text(sharedText('browse.loading'));
    let rows: Item[];
    try {
      rows = await this.page(more.of, more.page);
    } catch (error) {
      rows = [this.failed(more.of, more.page, reasonOf(error))];
    }
    if (!this.isShown(item) || !item.treeList || !more.of.treeList) return;
    const wasSelected = this.selected === item;
    if (rows.length === 0) rows = [note(this.nothingIn(more.of))];
    item.treeList.remove();
    for (const row of rows) more.of.treeList.addChild(row);
    if (wasSelected && rows[0]) this.tree.treeList('select', rows[0]);
  }
}

/** As they are now: what is done with them may change them. */
function rowsOf({ children }: Item): Item[] {
  return Array.isArray(children) ? [...children] : [];
}

let notes = 0;

/** A row that is no file. */
function note(text: string): Item {
  const element = $('<div class="cloud-drive-note">').text(text);
  return { id: `note ${++notes}`, element: treeItem(element), class: 'cloud-drive-note-label' };
}
