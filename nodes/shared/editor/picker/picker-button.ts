/**
 * The TypedInput type `drive`: shows the path of a picked file or folder, next to a button that opens the drive picker.
 * The property's value is the id; the path is stored in `<property>Path`.
 */
import { type DrivePickerOptions, type PickedFile, openDrivePicker } from './drive-picker';
import { addChooseButton } from './picker-tray';
import { sharedText } from '../shared-text';

export function driveInputType(property: string): TypedInputType {
  // Looked up now: while the picker is open the dialog is not in the document.
  const path = $(`#node-input-${property}Path`);
  return {
    value: 'drive',
    label: sharedText('drive_type'),
    icon: 'fa fa-cloud',
    hasValue: true,
    valueLabel(container, id) {
      const text = id === '' ? sharedText('browse.nothing_chosen') : String(path.val() || id);
      const element = $('<span class="cloud-drive-path">').text(text).attr('title', id);
      container.append(element.toggleClass('cloud-drive-none', id === ''));
    },
  };
}

export interface PickerButtonOptions extends Pick<DrivePickerOptions, 'selectable' | 'ownDriveOnly'> {
  /** Shown when another type is selected before anything was typed. */
  defaultText: string;
}

const PICK = 'clouddrivepick';

/** Sets the file that another picker picked. @param input a TypedInput with the button */
export function pickDriveFile(input: JQuery, file: PickedFile): void {
  input.trigger(PICK, [file]);
}

/** Adds the button to a TypedInput that has the type `drive`. */
export function addPickerButton(
  property: string,
  { selectable, ownDriveOnly, defaultText }: PickerButtonOptions,
): void {
  const input = $(`#node-input-${property}`);
  const setPicked = separateDriveValue(property, defaultText);
  input.on(PICK, (_event, file: PickedFile) => setPicked(file));
  const account = $('#node-input-account');
  addChooseButton(property, sharedText(`browse.open_${selectable}`), (onClosed) => {
    const id = String(account.val() ?? '');
    openDrivePicker({
      account: id === '_ADD_' ? '' : id,
      selectable,
      ownDriveOnly,
      onPick: setPicked,
      onClosed,
    });
  });
}

/**
 * Keeps the picked file and the text of the other types apart when the type changes: an id makes no sense as the name
 * of a message property, nor the reverse.
 * @returns a function that sets the picked file
 */
function separateDriveValue(property: string, defaultText: string): (file: PickedFile) => void {
  const input = $(`#node-input-${property}`);
  const path = $(`#node-input-${property}Path`);
  let type = input.typedInput('type');
  const isDrive = type === 'drive';
  let picked: PickedFile = isDrive
    ? { id: String(input.val()), path: String(path.val()) }
    : { id: '', path: '' };
  let text = isDrive ? defaultText : String(input.val());

  const show = (): void => {
    path.val(type === 'drive' ? picked.path : '');
    input.typedInput('value', type === 'drive' ? picked.id : text);
  };
  input.on('change keyup', () => {
    if (type !== 'drive' && input.typedInput('type') === type) text = String(input.val());
  });
  input.on('typedinputtypechange', (_event, newType: string) => {
    const isSwitched = (type === 'drive') !== (newType === 'drive');
    type = newType;
    if (isSwitched) show();
  });
  return (file) => {
    picked = file;
    if (type === 'drive') show();
    else input.typedInput('type', 'drive');
  };
}
