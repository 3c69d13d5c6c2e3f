/** The backup node in the editor: uploads folders and files on disk as one archive. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { addLocalPickerButton } from '../shared/editor/picker/local-picker';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { progressOutputLabel, syncProgressOutput } from '../shared/editor/fields';
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
import { archiveName, showArchiveName, showSharedNames } from './archive-name.editor';
import { DEFAULTS } from './backup.defaults';
import { initBackupTest } from './backup-test.editor';
import { passphrase, publicKeys, tags } from './encryption-checks.editor';
import { ARCHIVE, initFormat, isSnapshot } from './format.editor';
import { initKeyPair } from './key-pair.editor';

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
  outputLabels(index) {
    if (index === 1) return progressOutputLabel();
    return this._(this.format === 'snapshot' ? 'output_snapshot' : 'output');
  },
  oneditprepare() {
    prepareDialog(this, {
      typedInputs: {
        source: { hint: () => this._('field.source_hint') },
        folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') },
        targetName: { hint: () => DEFAULTS.targetName },
      },
      prepare: () => {
        void addLocalPickerButton('source', { node: 'cloud-drive-backup', selectable: 'any' });
        initFormat(this);
        showArchiveName(this);
        showSharedNames(this);
        showRetentionSentence($('#cloud-drive-retention'), () => ({
          isDryRun: false,
          withoutRules: this._(isSnapshot() ? 'field.no_snapshot_rule' : 'field.no_rule'),
          group: isSnapshot() ? 'snapshots' : 'retention',
        }));
        initKeyPair(this);
        initBackupTest(this);
        syncProgressOutput();
      },
    });
  },
});
