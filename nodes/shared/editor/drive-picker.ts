/** Chooses a file or folder on the drive: a tray with the drive as a tree, a search box and what is chosen. */
import { DriveRequests } from './drive-requests';
import { DriveTree, type Entry } from './drive-tree';
import { NewFolderForm } from './new-folder-form';
import { sharedText } from './texts';

export interface Choice {
  id: string;
  /** For show: `/Backups/2026`. */
  path: string;
}

export interface PickOptions {
  /** Id of the account's node; `''` where none is chosen. */
  account: string;
  /** What may be chosen. */
  what: 'file' | 'folder' | 'any';
  onChoice(choice: Choice): void;
  /** The dialog below is there again. */
  onClosed: () => void;
}

/** px; the editor takes what there is where that is less. */
const WIDTH = 600;

/** ms after the last key before the drive is searched. */
const SEARCH_AFTER = 400;

export function pickOnDrive(options: PickOptions): void {
  const picker = new DrivePicker(options);
  RED.tray.show({
    title: sharedText(`browse.title_${options.what}`),
    width: WIDTH,
    buttons: [
      { id: 'node-dialog-cancel', text: RED._('common.label.cancel'), click: () => picker.leave() },
      {
        id: 'node-dialog-ok',
        text: sharedText('browse.take'),
        class: 'primary',
        click: () => void picker.take(),
      },
    ],
    open: (tray) => picker.build(tray),
    close: () => picker.close(),
  });
}

class DrivePicker {
  private readonly requests: DriveRequests;
  private readonly chosenLine = $('<div class="cloud-drive-chosen" role="status">');
  private readonly failure = $('<div class="cloud-drive-failure" role="alert">').hide();
  private readonly treeElement = $('<div class="cloud-drive-tree">');
  private readonly search = $('<input type="search" autocomplete="off" spellcheck="false">');
  private button: JQuery | undefined;
  private tree: DriveTree | undefined;
  private chosen: Entry | undefined;
  private timer: number | undefined;

  constructor(private readonly options: PickOptions) {
    this.requests = new DriveRequests(options.account);
  }

  build(tray: JQuery): void {
    this.button = tray.find('#node-dialog-ok');
    const folder = $('<div class="cloud-drive-picker">').appendTo(tray.find('.red-ui-tray-body'));
    folder.append(this.tools(), this.failure, this.treeElement, this.chosenLine);
    this.tree = new DriveTree({
      element: this.treeElement,
      requests: this.requests,
      kind: this.options.what === 'folder' ? 'folders' : 'any',
      onSelect: (entry) => this.select(entry),
      onConfirm: () => void this.take(),
      onFailure: (message) => this.fail(message),
    });
    this.select(undefined);
    if (this.options.account === '') this.fail(sharedText('browse.no_account'));
    else this.tree.showDrive();
  }

  /** Takes what is selected, if that may be chosen. */
  async take(): Promise<void> {
    const entry = this.chosen;
    if (!entry) return;
    this.button?.addClass('disabled');
    const path = entry.path ?? (await this.pathOf(entry));
    if (this.requests.isClosed) return;
    this.options.onChoice({ id: entry.id, path });
    this.leave();
  }

  leave(): void {
    // The tray takes a while to go: a second press would close the dialog below it too.
    if (this.requests.isClosed) return;
    this.close();
    RED.tray.close(this.options.onClosed);
  }

  close(): void {
    clearTimeout(this.timer);
    this.requests.close();
  }

  private tools(): JQuery {
    const label = sharedText('browse.search');
    this.search.attr({ 'aria-label': label, placeholder: label });
    this.search.on('input', () => this.searchSoon());
    this.search.on('keydown', (event) => {
      if (event.key === 'ArrowDown') this.treeElement.trigger('focus');
      // In a form it would press a button.
      if (event.key === 'Enter') event.preventDefault();
    });
    const box = $('<div class="cloud-drive-search">').append(
      $('<i class="fa fa-search" aria-hidden="true">'),
      this.search,
    );
    const tools = $('<div class="cloud-drive-tools">').append(box);
    if (this.options.what !== 'folder') return tools;
    const { button, form } = new NewFolderForm({
      place: () => this.tree?.folder?.path ?? '/',
      make: async (name) => {
        const parent = this.tree?.folder;
        const { folder } = await this.requests.newFolder(name, parent?.id ?? '');
        await this.tree?.add(folder, parent);
        this.treeElement.trigger('focus');
      },
    });
    return tools.append(button, form);
  }

  private searchSoon(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.show(), SEARCH_AFTER);
  }

  /** Shows what the search box asks for. */
  private show(): void {
    const text = String(this.search.val()).trim();
    this.failure.hide();
    this.treeElement.show();
    this.select(undefined);
    if (text === '') this.tree?.showDrive();
    else this.tree?.showFound(text);
  }

  private fail(message: string): void {
    const again = $('<button type="button" class="red-ui-button">').text(sharedText('browse.try_again'));
    again.on('click', () => {
      this.show();
      this.treeElement.trigger('focus');
    });
    this.treeElement.hide();
    this.failure
      .empty()
      .append($('<i class="fa fa-exclamation-triangle" aria-hidden="true">'), $('<p>').text(message))
      .append(this.options.account === '' ? [] : again)
      .show();
  }

  private select(entry: Entry | undefined): void {
    const isWanted = entry !== undefined && this.mayBeChosen(entry);
    this.chosen = isWanted ? entry : undefined;
    this.button?.toggleClass('disabled', !isWanted).prop('disabled', !isWanted);
    if (!entry || !isWanted) {
      const hint = entry ? `browse.only_${this.options.what}` : 'browse.nothing_chosen';
      this.chosenLine.text(sharedText(hint));
      return;
    }
    this.say(entry.path ?? entry.name);
    if (entry.path === undefined) void this.tellPath(entry);
  }

  private mayBeChosen({ isFolder, path }: Entry): boolean {
    const { what } = this.options;
    if (what === 'folder') return isFolder;
    // The root is no file, and nothing that could be deleted.
    return what === 'any' ? path !== '/' : !isFolder;
  }

  private say(where: string): void {
    const title = $('<span>').text(sharedText('browse.chosen'));
    this.chosenLine.empty().append(title, ' ', $('<b>').text(where));
  }

  private async tellPath(entry: Entry): Promise<void> {
    const path = await this.pathOf(entry);
    if (this.chosen === entry) this.say(path);
  }

  private async pathOf(entry: Entry): Promise<string> {
    try {
      const { path } = await this.requests.filePath(entry.id);
      entry.path = path === '' ? entry.name : path;
    } catch {
      // The path is for show only: the name says as much as is known.
      entry.path = entry.name;
    }
    return entry.path;
  }
}
