/** The drive picker: a tray with the drive as a tree, a search box and the selected file. */
import { BrowseClient } from '../browse-client';
import { type DriveItem, DriveTree } from './drive-tree';
import { NewFolderForm } from './new-folder-form';
import { type Picker, showPicker } from './picker-tray';
import { PlaceChoice } from './place-choice';
import { sharedText } from '../shared-text';

export interface PickedFile {
  id: string;
  /** For display, such as `/Backups/2026`. */
  path: string;
}

export type Selectable = 'file' | 'folder' | 'any';

export interface DrivePickerOptions {
  /** Id of the config node; `''` if no account is selected. */
  account: string;
  selectable: Selectable;
  /** Offers only the account's own drive, for nodes that can't act on others. */
  ownDriveOnly?: boolean;
  onPick(file: PickedFile): void;
  /** Called when the picker is closed and the node's dialog is back in the document. */
  onClosed: () => void;
}

/** Milliseconds between the last input and the search. */
const SEARCH_DELAY = 400;

export function openDrivePicker(options: DrivePickerOptions): void {
  showPicker(sharedText(`browse.title_${options.selectable}`), new DrivePicker(options));
}

class DrivePicker implements Picker {
  private readonly client: BrowseClient;
  private readonly selectedLine = $('<div class="cloud-drive-chosen" role="status">');
  private readonly failure = $('<div class="cloud-drive-failure" role="alert">').hide();
  private readonly treeElement = $('<div class="cloud-drive-tree">');
  private readonly search = $('<input type="search" autocomplete="off" spellcheck="false">');
  private readonly places: PlaceChoice;
  private newFolder: NewFolderForm | undefined;
  private okButton: JQuery | undefined;
  private tree: DriveTree | undefined;
  private selected: DriveItem | undefined;
  private searchTimer: number | undefined;

  constructor(private readonly options: DrivePickerOptions) {
    this.client = new BrowseClient(options.account);
    this.places = new PlaceChoice({ client: this.client, onChange: () => this.showPlace() });
  }

  build(tray: JQuery): void {
    this.okButton = tray.find('#node-dialog-ok');
    const picker = $('<div class="cloud-drive-picker">').appendTo(tray.find('.red-ui-tray-body'));
    picker.append(this.toolbar(), this.failure, this.treeElement, this.selectedLine);
    this.tree = new DriveTree({
      element: this.treeElement,
      client: this.client,
      kind: this.options.selectable === 'folder' ? 'folders' : 'any',
      onRoot: (page) => {
        if (!this.options.ownDriveOnly) this.places.addPlaces(page);
      },
      onSelect: (item) => this.select(item),
      onConfirm: () => void this.pickSelected(),
      onFailure: (message) => this.showFailure(message),
    });
    this.select(undefined);
    if (this.options.account === '') this.showFailure(sharedText('browse.no_account'));
    else this.tree.show();
  }

  async pickSelected(): Promise<void> {
    const item = this.selected;
    if (!item) return;
    this.okButton?.addClass('disabled');
    const path = item.path ?? (await this.fetchPath(item));
    if (this.client.isAborted) return;
    this.options.onPick({ id: item.id, path });
    this.close();
  }

  close(): void {
    // Closing is animated. A second click meanwhile would close the node's dialog as well.
    if (this.client.isAborted) return;
    this.abort();
    RED.tray.close(this.options.onClosed);
  }

  abort(): void {
    clearTimeout(this.searchTimer);
    this.client.abort();
  }

  private toolbar(): JQuery {
    this.labelSearch();
    this.search.on('input', () => {
      clearTimeout(this.searchTimer);
      this.searchTimer = window.setTimeout(() => this.load(), SEARCH_DELAY);
    });
    this.search.on('keydown', (event) => {
      if (event.key === 'ArrowDown') this.treeElement.trigger('focus');
      // In a form, Enter would press a button.
      if (event.key === 'Enter') event.preventDefault();
    });
    const searchBox = $('<div class="cloud-drive-search">').append(
      $('<i class="fa fa-search" aria-hidden="true">'),
      this.search,
    );
    const toolbar = $('<div class="cloud-drive-tools">').append(this.places.element, searchBox);
    if (this.options.selectable !== 'folder') return toolbar;
    this.newFolder = new NewFolderForm({
      parentPath: () => this.tree?.currentFolder?.path ?? this.places.root.path ?? '/',
      createFolder: async (name) => {
        const parent = this.tree?.currentFolder;
        const parentId = parent?.id ?? this.places.folderId ?? '';
        const { folder } = await this.client.createFolder(name, parentId);
        await this.tree?.add(folder, parent);
        this.treeElement.trigger('focus');
      },
    });
    return toolbar.append(this.newFolder.button, this.newFolder.form);
  }

  private labelSearch(): void {
    const label = this.places.searchLabel;
    this.search.attr({ 'aria-label': label, placeholder: label });
  }

  private showPlace(): void {
    this.search.val('');
    this.labelSearch();
    this.load();
  }

  /** Shows the search results, or the selected place if the search box is empty. */
  private load(): void {
    const text = String(this.search.val()).trim();
    this.failure.hide();
    this.treeElement.show();
    this.tree?.show(text === '' ? this.places.root : this.places.searchRoot(text));
    this.select(undefined);
  }

  private showFailure(message: string): void {
    const retryButton = $('<button type="button" class="red-ui-button">').text(
      sharedText('browse.try_again'),
    );
    retryButton.on('click', () => {
      this.load();
      this.treeElement.trigger('focus');
    });
    this.treeElement.hide();
    this.failure
      .empty()
      .append($('<i class="fa fa-exclamation-triangle" aria-hidden="true">'), $('<p>').text(message))
      .append(this.options.account === '' ? [] : retryButton)
      .show();
  }

  private select(item: DriveItem | undefined): void {
    const isSelectable = item !== undefined && this.isSelectable(item);
    this.selected = isSelectable ? item : undefined;
    this.newFolder?.setPossible((this.tree?.currentFolder ?? this.places.folderId) !== undefined);
    this.okButton?.toggleClass('disabled', !isSelectable).prop('disabled', !isSelectable);
    if (!isSelectable) {
      const { selectable } = this.options;
      this.selectedLine.text(sharedText(item ? `browse.only_${selectable}` : 'browse.nothing_chosen'));
      return;
    }
    this.showSelected(item.path ?? item.name);
    if (item.path === undefined) void this.showFetchedPath(item);
  }

  private isSelectable({ isFolder, isRoot }: DriveItem): boolean {
    const { selectable } = this.options;
    if (selectable === 'folder') return isFolder;
    // The root isn't a file, and can't be deleted or moved.
    return selectable === 'any' ? isRoot !== true : !isFolder;
  }

  private showSelected(path: string): void {
    const title = $('<span>').text(sharedText('browse.chosen'));
    this.selectedLine.empty().append(title, ' ', $('<b>').text(path));
  }

  private async showFetchedPath(item: DriveItem): Promise<void> {
    const path = await this.fetchPath(item);
    if (this.selected === item) this.showSelected(path);
  }

  private async fetchPath(item: DriveItem): Promise<string> {
    try {
      const { path } = await this.client.filePath(item.id);
      item.path = path === '' ? item.name : path;
    } catch {
      // The path is for display only, so the name is enough.
      item.path = item.name;
    }
    return item.path;
  }
}
