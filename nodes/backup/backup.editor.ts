/** The backup node in the editor: uploads folders and files on disk as one archive. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { addLocalPickerButton } from '../shared/editor/picker/local-picker';
import { showRetentionSentence } from '../shared/editor/retention-rows';
import { sharedText } from '../shared/editor/shared-text';
import {
  atLeast,
  between,
  pathPatterns,
  retentionRules,
  typedInput,
  validateWhen,
} from '../shared/editor/validators';
import {
  ARCHIVE,
  archiveName,
  initFormat,
  isSnapshot,
  showArchiveName,
  showSharedNames,
} from './format.editor';
import { DEFAULTS } from './backup.defaults';
import { initBackupTest } from './backup-test.editor';
import { initKeyPair, passphrase, publicKeys, tags } from './encryption.editor';

registerFlowNode('backup', DEFAULTS, {
  validators: {
    source: typedInput('source', 'path'),
    folder: typedInput('folder', 'folder'),
    targetName: validateWhen('format', ARCHIVE, archiveName),
    exclude: pathPatterns,
    recipients: validateWhen('format', ARCHIVE, validateWhen('encryption', ['recipients'], publicKeys)),
    tags: validateWhen('format', ['snapshot'], tags),
    packSize: validateWhen('format', ['snapshot'], between(4, 128)),
    maxUnused: validateWhen('format', ['snapshot'], between(0, 100)),
    ...retentionRules,
    jitter: atLeast(0),
  },
  credentials: {
    passphrase: { type: 'password', validate: passphrase },
  },
  label() {
    const name = labelValue(this, 'source');
    return name === '' ? this._('label') : this._('label_name', { name });
  },
  outputLabels() {
    return this._(this.format === 'snapshot' ? 'output_snapshot' : 'output');
  },
  dialog: {
    typedInputs: {
      source: { hint: (node) => node._('field.source_hint') },
      folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') },
      targetName: { hint: () => DEFAULTS.targetName },
    },
    prepare(node) {
      void addLocalPickerButton('source', { node: 'cloud-drive-backup', selectable: 'any' });
      initFormat(node);
      showArchiveName(node);
      showSharedNames(node);
      showRetentionSentence($('#cloud-drive-retention'), () => ({
        isDryRun: false,
        withoutRules: node._(isSnapshot() ? 'field.no_snapshot_rule' : 'field.no_rule'),
        group: isSnapshot() ? 'snapshots' : 'retention',
      }));
      initKeyPair(node);
      initBackupTest(node);
    },
  },
});
