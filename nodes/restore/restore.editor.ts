/** The restore node in the editor: restores a folder on disk from a backup, checks the backup, or lists it. */
import { registerFlowNode } from '../shared/editor/flow-node';
import { addLocalPickerButton } from '../shared/editor/picker/local-picker';
import { field } from '../shared/editor/fields';
import { isIdentity, parseIdentities } from '../shared/contract/backup-settings';
import { sharedText } from '../shared/editor/shared-text';
import {
  atLeast,
  between,
  currentValue,
  globPattern,
  pathPatterns,
  typedInput,
  type Validator,
} from '../shared/editor/validators';
import { initBrowseButton } from './backup-picker.editor';
import { initCheckNow } from './check-now.editor';
import { showCreatedFolder, showNeededFields, validateNeeded } from './fields.editor';
import { DEFAULTS, type RestoreConfig } from './restore.defaults';

/** The editor shows `__PWRD__` for a password that is stored. */
const STORED_PASSWORD = '__PWRD__';

const privateKeys: Validator = function (value, _options) {
  const text = String(value).trim();
  if (['', STORED_PASSWORD].includes(text)) return true;
  const keys = parseIdentities(text);
  return (keys.length > 0 && keys.every(isIdentity)) || (this as EditorNode)._('field.identity_invalid');
};

/** Every repository has one; an archive may have none. */
const passphrase: Validator = function (value, _options) {
  const isRequired = currentValue(this, 'from') === 'snapshots';
  return !isRequired || String(value).trim() !== '' || (this as EditorNode)._('field.passphrase_missing');
};

registerFlowNode('restore', DEFAULTS, {
  validators: {
    folder: validateNeeded('folder', typedInput('folder', 'folder')),
    select: validateNeeded('select', typedInput('select', 'name')),
    pattern: validateNeeded('pattern', globPattern),
    include: validateNeeded('include', pathPatterns),
    localPath: validateNeeded('localPath', typedInput('localPath', 'path')),
    maxRatio: validateNeeded('maxRatio', atLeast(0)),
    maxAge: validateNeeded('maxAge', atLeast(0)),
    readData: validateNeeded('readData', between(0, 100)),
  },
  credentials: {
    passphrase: { type: 'password', validate: validateNeeded('passphrase', passphrase) },
    identity: { type: 'password', validate: validateNeeded('identity', privateKeys) },
  },
  label() {
    // A flow saved without the properties has their defaults.
    const { action = DEFAULTS.action, from, which = DEFAULTS.which } = this as Partial<RestoreConfig>;
    if (action !== 'restore') return this._(`label_${action}`);
    return this._(from === 'snapshots' ? `label_snapshot_${which}` : `label_${which}`);
  },
  outputLabels() {
    const { action = DEFAULTS.action, output } = this as Partial<RestoreConfig>;
    return this._(action === 'list' && output === 'each' ? 'output_each' : `output_${action}`);
  },
  dialog: {
    typedInputs: {
      folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') },
      select: { selectable: 'file', hint: (node) => node._(`field.select_${field('which')}_hint`) },
      localPath: { hint: (node) => node._('field.local_path_hint') },
    },
    prepare(node) {
      showNeededFields(node);
      showCreatedFolder(node);
      const folders = { node: 'cloud-drive-restore', selectable: 'folder' } as const;
      void addLocalPickerButton('localPath', folders);
      void addLocalPickerButton('compareWith', folders);
      $('#cloud-drive-encrypted').prop('open', hasSecret());
      initBrowseButton(node);
      initCheckNow(node);
    },
  },
});

function hasSecret(): boolean {
  return field('passphrase') !== '' || field('identity') !== '';
}
