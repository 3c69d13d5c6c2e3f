/** The drive picker: a tray with the drive as a tree, a search box and the selected file. */
import { BrowseClient } from '../browse-client';
import { searchWhileTyping } from '../fields';
import { type DriveItem, DriveTree } from './drive-tree';
import { NewFolderForm } from './new-folder-form';
import { PickerTray } from './picker-tray';
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
  /** As in {@link PickerTray}. */
  onClosed: () => void;
}

export function openDrivePicker(options: DrivePickerOptions): void {
  new DrivePicker(options).show(sharedText(`browse.title_${options.selectable}`));
}

class DrivePicker extends PickerTray {
  private readonly client: BrowseClient;
  private readonly search = $('<input type="search" autocomplete="off" spellcheck="false">');
  private readonly places: PlaceChoice;
  private newFolder: NewFolderForm | undefined;
  private tree: DriveTree | undefined;
  private selected: DriveItem | undefined;
  private readonly dropSearch = searchWhileTyping(this.search, () => this.load());

  constructor(private readonly options: DrivePickerOptions) {
    super(options.onClosed);
    this.client = new BrowseClient(options.account, this.controller.signal);
    this.places = new PlaceChoice({ client: this.client, onChange: () => this.showPlace() });
  }

  protected fill(picker: JQuery): void {
    picker.append(this.toolbar(), this.failure, this.treeElement, this.chosenLine);
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

  protected async pickSelected(): Promise<void> {
    const item = this.selected;
    if (!item) return;
    this.enableOk(false);
    const path = item.path ?? (await this.fetchPath(item));
    if (this.isAborted) return;
    this.options.onPick({ id: item.id, path });
    this.close();
  }

  protected override abort(): void {
    this.dropSearch();
    super.abort();
  }

  private toolbar(): JQuery {
    this.labelSearch();
    this.search.on('keydown', (event) => {
      if (event.key === 'ArrowDown') this.treeElement.trigger('focus');
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

  protected override showFailure(message: string): void {
    const retryButton = $('<button type="button" class="red-ui-button">').text(
      sharedText('browse.try_again'),
    );
    retryButton.on('click', () => {
      this.load();
      this.treeElement.trigger('focus');
    });
    super.showFailure(message);
    this.failure
      .prepend($('<i class="fa fa-exclamation-triangle" aria-hidden="true">'))
      .append(this.options.account === '' ? [] : retryButton);
  }

  private select(item: DriveItem | undefined): void {
    const isSelectable = item !== undefined && this.isSelectable(item);
    this.selected = isSelectable ? item : undefined;
    this.newFolder?.setPossible((this.tree?.currentFolder ?? this.places.folderId) !== undefined);
    this.enableOk(isSelectable);
    if (!isSelectable) {
      const { selectable } = this.options;
      this.chosenLine.text(sharedText(item ? `browse.only_${selectable}` : 'browse.nothing_chosen'));
      return;
    }
    this.showChosen(item.path ?? item.name);
    if (item.path === undefined) void this.showFetchedPath(item);
  }

  private isSelectable({ isFolder, isRoot }: DriveItem): boolean {
    const { selectable } = this.options;
    if (selectable === 'folder') return isFolder;
    // The root isn't a file, and can't be deleted or moved.
    return selectable === 'any' ? isRoot !== true : !isFolder;
  }

  private async showFetchedPath(item: DriveItem): Promise<void> {
    const path = await this.fetchPath(item);
    if (this.selected === item) this.showChosen(path);
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
