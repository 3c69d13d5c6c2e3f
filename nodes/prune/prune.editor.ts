/** The prune node in the editor: removes old backups by retention rules. */
import { COLOR, inputLabels, labelStyle, outputLabels, paletteLabel } from '../shared/editor/definition';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { namePattern, atLeast, timeZone, typedInput } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-prune', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-prune.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    folder: { value: 'payload', validate: typedInput('folder', 'folder') },
    folderType: { value: 'msg' },
    folderPath: { value: '' },
    match: { value: 'glob' },
    pattern: { value: '*', validate: namePattern },
    keepNewest: { value: 0, validate: atLeast(0, 'whole') },
    keepDays: { value: 0, validate: atLeast(0) },
    daily: { value: 0, validate: atLeast(0, 'whole') },
    weekly: { value: 0, validate: atLeast(0, 'whole') },
    monthly: { value: 0, validate: atLeast(0, 'whole') },
    yearly: { value: 0, validate: atLeast(0, 'whole') },
    minimum: { value: 1, validate: atLeast(0, 'whole') },
    dateFrom: { value: 'modifiedTime' },
    timeZone: { value: '', validate: timeZone },
    mode: { value: 'trash' },
    dryRun: { value: true },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    if (this.name) return this.name;
    if (this.dryRun !== false) return this._('label_dry_run');
    return this._(this.mode === 'permanent' ? 'label_permanent' : 'label_trash');
  },
  labelStyle,
  inputLabels,
  outputLabels,
  oneditprepare() {
    prepareDialog(this, { typedInputs: { folder: { selectable: 'folder' } } });
  },
});
