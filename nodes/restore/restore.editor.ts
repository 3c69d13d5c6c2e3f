/** The restore node in the editor: restores a folder on disk from an archive. */
import { registerFlowNode } from '../shared/editor/flow-node';
import { addLocalPickerButton } from '../shared/editor/picker/local-picker';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { progressOutputLabel, syncProgressOutput } from '../shared/editor/progress-output';
import { isIdentity, parseIdentities } from '../shared/contract/age-keys';
import { sharedText } from '../shared/editor/shared-text';
import {
  type Validator,
  atLeast,
  globPattern,
  pathPatterns,
  typedInput,
  validateWhen,
} from '../shared/editor/validators';
import { showCreatedFolder } from './created-folder.editor';
import { DEFAULTS, type RestoreConfig } from './restore.defaults';

/** The values of `which` that search a folder for the archive. */
const SEARCHES = ['newest', 'number', 'date'];
/** The values of `which` that need another value. */
const SELECTIONS = ['number', 'date', 'file'];

/** The editor shows `__PWRD__` for a password that is stored. */
const STORED_PASSWORD = '__PWRD__';

const privateKeys: Validator = function (value, _options) {
  const text = String(value).trim();
  if (['', STORED_PASSWORD].includes(text)) return true;
  const keys = parseIdentities(text);
  return (keys.length > 0 && keys.every(isIdentity)) || (this as EditorNode)._('field.identity_invalid');
};

registerFlowNode('restore', DEFAULTS, {
  validators: {
    folder: validateWhen('which', SEARCHES, typedInput('folder', 'folder')),
    select: validateWhen('which', SELECTIONS, typedInput('select', 'name')),
    pattern: validateWhen('which', SEARCHES, globPattern),
    include: pathPatterns,
    localPath: typedInput('localPath', 'path'),
    maxRatio: atLeast(0),
  },
  credentials: { passphrase: { type: 'password' }, identity: { type: 'password', validate: privateKeys } },
  label() {
    // A flow saved without the property has its default.
    const which = (this.which as RestoreConfig['which'] | undefined) ?? DEFAULTS.which;
    return this.name || this._(`label_${which}`);
  },
  outputLabels(index) {
    return index === 1 ? progressOutputLabel() : this._('output');
  },
  oneditprepare() {
    prepareDialog(this, {
      typedInputs: {
        folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') },
        select: { selectable: 'file', hint: () => this._(`field.select_${which()}_hint`) },
        localPath: { hint: () => this._('field.local_path_hint') },
      },
      rows: { which: { folder: SEARCHES, pattern: SEARCHES, select: SELECTIONS } },
      prepare: () => {
        labelSelection(this);
        showCreatedFolder(this);
        void addLocalPickerButton('localPath', { node: 'cloud-drive-restore', selectable: 'folder' });
        $('#cloud-drive-encrypted').prop('open', hasSecret());
        syncProgressOutput();
      },
    });
  },
});

function which(): string {
  return String($('#node-input-which').val());
}

/** The label says what to enter: a number, a date or a file. Only a file can be picked on the drive. */
function labelSelection(node: EditorNode): void {
  // The editor translates texts again after it has prepared the dialog.
  const label = $('#cloud-drive-select-label').removeAttr('data-i18n');
  const update = (): void => {
    if (SELECTIONS.includes(which())) label.text(node._(`field.select_${which()}`));
    $('#cloud-drive-choose-select').toggle(which() === 'file');
  };
  $('#node-input-which').on('change', update);
  update();
}

function hasSecret(): boolean {
  return ['passphrase', 'identity'].some((name) => String($(`#node-input-${name}`).val() ?? '') !== '');
}
