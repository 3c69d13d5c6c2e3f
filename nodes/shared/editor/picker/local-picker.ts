/**
 * Chooses a folder or file on the machine that runs Node-RED, below the folders that `cloudDriveLocalFolders` in
 * settings.js allows. Without that setting, or the permission to change flows, the dialog has no button for it.
 */
import type { FilePage } from '../../contract/browse-api';
import { adminRequest } from '../admin-request';
import type { ListQuery } from '../browse-client';
import { type DriveItem, DriveTree, type TreeSource, accountRoot } from './drive-tree';
import { type Picker, showPicker } from './picker-tray';
import { sharedText } from '../shared-text';

export interface LocalPickerOptions {
  /** Type of the node whose endpoint lists the files. */
  node: string;
  selectable: 'folder' | 'any';
}

class LocalFiles implements TreeSource {
  private readonly controller = new AbortController();

  constructor(private readonly node: string) {}

  list({ folder = '', kind, page }: ListQuery): Promise<FilePage> {
    const { signal } = this.controller;
    return adminRequest('GET', ['local-files'], { node: this.node, query: { folder, kind, page }, signal });
  }

  abort(): void {
    this.controller.abort();
  }

  get isAborted(): boolean {
    return this.controller.signal.aborted;
  }
}

/**
 * Adds a button to the field of a property, a TypedInput or a text, if the editor may browse folders on that machine.
 */
export async function addLocalPickerButton(property: string, options: LocalPickerOptions): Promise<void> {
  const input = $(`#node-input-${property}`);
  const container = input.next('.red-ui-typedInput-container');
  const files = new LocalFiles(options.node);
  // jQuery UI triggers `remove` when the dialog is closed.
  input.on('remove', () => files.abort());
  let allowed: FilePage;
  try {
    allowed = await files.list({ kind: 'folders', page: '' });
  } catch {
    // No permission: paths can be typed.
    return;
  }
  if (allowed.files.length === 0 || files.isAborted) return;
  const label = sharedText(`browse.open_local_${options.selectable}`);
  const button = $('<button type="button" class="red-ui-button cloud-drive-choose">')
    .attr({ title: label, 'aria-label': label, id: `cloud-drive-choose-${property}` })
    .append($('<i class="fa fa-folder-open-o" aria-hidden="true">'))
    .on('click', () => {
      openLocalPicker({
        ...options,
        onPick: (path) => {
          if (container.length === 0) return void input.val(path);
          input.typedInput('type', 'str');
          input.typedInput('value', path);
        },
        onClosed: () => {
          // The editor validates a field only while it is in the document.
          input.trigger('change');
          button.trigger('focus');
        },
      });
    });
  (container.length === 0 ? input : container).after(button);
}

interface OpenOptions extends LocalPickerOptions {
  onPick: (path: string) => void;
  /** Called when the picker is closed and the node's dialog is back in the document. */
  onClosed: () => void;
}

function openLocalPicker(options: OpenOptions): void {
  showPicker(sharedText(`browse.title_${options.selectable}`), new LocalPicker(options));
}

class LocalPicker implements Picker {
  private readonly files: LocalFiles;
  private readonly selectedLine = $('<div class="cloud-drive-chosen" role="status">');
  private readonly failure = $('<div class="cloud-drive-failure" role="alert">').hide();
  private okButton: JQuery | undefined;
  private selected: DriveItem | undefined;

  constructor(private readonly options: OpenOptions) {
    this.files = new LocalFiles(options.node);
  }

  build(tray: JQuery): void {
    this.okButton = tray.find('#node-dialog-ok');
    const element = $('<div class="cloud-drive-tree">');
    const picker = $('<div class="cloud-drive-picker">').appendTo(tray.find('.red-ui-tray-body'));
    picker.append(this.failure, element, this.selectedLine);
    const tree = new DriveTree({
      element,
      client: this.files,
      kind: this.options.selectable === 'folder' ? 'folders' : 'any',
      onSelect: (item) => this.select(item),
      onConfirm: () => this.pickSelected(),
      onFailure: (message) => {
        element.hide();
        this.failure.empty().append($('<p>').text(message)).show();
      },
    });
    this.select(undefined);
    tree.show(accountRoot(sharedText('browse.local_root'), 'fa fa-hdd-o'));
  }

  pickSelected(): void {
    if (!this.selected) return;
    this.options.onPick(this.selected.id);
    this.close();
  }

  close(): void {
    // Closing is animated. A second click meanwhile would close the node's dialog as well.
    if (this.files.isAborted) return;
    this.abort();
    RED.tray.close(this.options.onClosed);
  }

  abort(): void {
    this.files.abort();
  }

  /** The list of allowed folders itself can't be chosen. */
  private select(item: DriveItem | undefined): void {
    this.selected = item?.isRoot ? undefined : item;
    const isSelectable = this.selected !== undefined;
    this.okButton?.toggleClass('disabled', !isSelectable).prop('disabled', !isSelectable);
    if (!this.selected) this.selectedLine.text(sharedText('browse.nothing_chosen'));
    else
      this.selectedLine
        .empty()
        .append($('<span>').text(sharedText('browse.chosen')), ' ', $('<b>').text(this.selected.id));
  }
}
