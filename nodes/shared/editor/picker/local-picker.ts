/**
 * Chooses a folder or file on the machine that runs Node-RED, below the folders that `cloudDriveLocalFolders` in
 * settings.js allows. Without that setting, or the permission to change flows, the dialog has no button for it.
 */
import type { FilePage } from '../../contract/dialog-api';
import { adminRequest } from '../admin-request';
import type { ListQuery } from '../browse-client';
import { type DriveItem, DriveTree, accountRoot } from './drive-tree';
import { PickerTray, addChooseButton } from './picker-tray';
import { sharedText } from '../shared-text';

export interface LocalPickerOptions {
  /** Type of the node whose endpoint lists the files. */
  node: string;
  selectable: 'folder' | 'any';
}

function listFiles(
  node: string,
  { folder = '', kind, page }: ListQuery,
  signal: AbortSignal,
): Promise<FilePage> {
  return adminRequest('GET', ['local-files'], { node, query: { folder, kind, page }, signal });
}

/**
 * Adds a button to the field of a property, a TypedInput or a text, if the editor may browse folders on that machine.
 */
export async function addLocalPickerButton(property: string, options: LocalPickerOptions): Promise<void> {
  const input = $(`#node-input-${property}`);
  const isTyped = input.next('.red-ui-typedInput-container').length > 0;
  const controller = new AbortController();
  // jQuery UI triggers `remove` when the dialog is closed.
  input.on('remove', () => controller.abort());
  let allowed: FilePage;
  try {
    allowed = await listFiles(options.node, { kind: 'folders', page: '' }, controller.signal);
  } catch {
    // No permission: paths can be typed.
    return;
  }
  if (allowed.files.length === 0 || controller.signal.aborted) return;
  const onPick = (path: string): void => {
    if (!isTyped) return void input.val(path);
    input.typedInput('type', 'str');
    input.typedInput('value', path);
  };
  addChooseButton(property, sharedText(`browse.open_local_${options.selectable}`), (onClosed) => {
    const picker = new LocalPicker({ ...options, onPick }, onClosed);
    picker.show(sharedText(`browse.title_${options.selectable}`));
  });
}

class LocalPicker extends PickerTray {
  private selected: DriveItem | undefined;

  constructor(
    private readonly options: LocalPickerOptions & { onPick: (path: string) => void },
    onClosed: () => void,
  ) {
    super(onClosed);
  }

  protected fill(picker: JQuery): void {
    picker.append(this.failure, this.treeElement, this.chosenLine);
    const tree = new DriveTree({
      element: this.treeElement,
      client: this,
      kind: this.options.selectable === 'folder' ? 'folders' : 'any',
      onSelect: (item) => this.select(item),
      onConfirm: () => this.pickSelected(),
      onFailure: (message) => this.showFailure(message),
    });
    this.select(undefined);
    tree.show(accountRoot(sharedText('browse.local_root'), 'fa fa-hdd-o'));
  }

  list(query: ListQuery): Promise<FilePage> {
    return listFiles(this.options.node, query, this.controller.signal);
  }

  protected pickSelected(): void {
    if (!this.selected) return;
    this.options.onPick(this.selected.id);
    this.close();
  }

  /** The list of allowed folders itself can't be chosen. */
  private select(item: DriveItem | undefined): void {
    this.selected = item?.isRoot ? undefined : item;
    this.enableOk(this.selected !== undefined);
    if (this.selected) this.showChosen(this.selected.id);
    else this.chosenLine.text(sharedText('browse.nothing_chosen'));
  }
}
