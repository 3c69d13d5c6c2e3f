/** The prune node in the editor: removes old backups by retention rules. */
import { registerFlowNode } from '../shared/editor/flow-node';
import { namePattern, atLeast, timeZone, typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './prune.defaults';

registerFlowNode('prune', DEFAULTS, {
  validators: {
    folder: typedInput('folder', 'folder'),
    pattern: namePattern,
    keepNewest: atLeast(0, 'whole'),
    keepDays: atLeast(0),
    daily: atLeast(0, 'whole'),
    weekly: atLeast(0, 'whole'),
    monthly: atLeast(0, 'whole'),
    yearly: atLeast(0, 'whole'),
    minimum: atLeast(0, 'whole'),
    timeZone,
  },
  label() {
    if (this.name) return this.name;
    if (this.dryRun !== false) return this._('label_dry_run');
    return this._(this.mode === 'permanent' ? 'label_permanent' : 'label_trash');
  },
  dialog: { typedInputs: { folder: { selectable: 'folder' } } },
});
