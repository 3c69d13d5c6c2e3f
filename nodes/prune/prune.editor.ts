/** The prune node in the editor: removes old backups by retention rules. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { showRetentionSentence } from '../shared/editor/retention-rows';
import { sharedText } from '../shared/editor/shared-text';
import { namePattern, retentionRules, timeZone, typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './prune.defaults';

registerFlowNode('prune', DEFAULTS, {
  validators: {
    folder: typedInput('folder', 'folder'),
    pattern: namePattern,
    ...retentionRules,
    timeZone,
  },
  label() {
    const mode = this.mode === 'permanent' ? 'label_permanent' : 'label_trash';
    const action = this._(this.dryRun === false ? mode : 'label_dry_run');
    const name = labelValue(this, 'folder');
    return name === '' ? action : this._('label_name', { action, name });
  },
  dialog: {
    typedInputs: { folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') } },
    prepare: (node) =>
      showRetentionSentence($('#cloud-drive-retention'), () => ({
        isDryRun: $('#node-input-dryRun').prop('checked') === true,
        withoutRules: node._('field.no_rule'),
      })),
  },
});
