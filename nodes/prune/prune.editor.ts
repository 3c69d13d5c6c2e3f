/** The prune node in the editor: keeps the backups that the rules keep, and takes the rest away. */
import {
  COLOR,
  inputLabels,
  labelStyle,
  outputLabels,
  paletteLabel,
  showDefaults,
} from '../shared/editor/definition';
import { fitLabels } from '../shared/editor/fit-labels';
import { fieldProblems } from '../shared/editor/field-problems';
import { typedField } from '../shared/editor/typed-field';
import { namePattern, numberFrom, timeZone, typed } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-prune', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-prune.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    folder: { value: 'payload', validate: typed('folder', 'folder') },
    folderType: { value: 'msg' },
    folderPath: { value: '' },
    match: { value: 'glob' },
    pattern: { value: '*', validate: namePattern },
    keepNewest: { value: 0, validate: numberFrom(0, 'whole') },
    keepDays: { value: 0, validate: numberFrom(0) },
    daily: { value: 0, validate: numberFrom(0, 'whole') },
    weekly: { value: 0, validate: numberFrom(0, 'whole') },
    monthly: { value: 0, validate: numberFrom(0, 'whole') },
    yearly: { value: 0, validate: numberFrom(0, 'whole') },
    minimum: { value: 1, validate: numberFrom(0, 'whole') },
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
    showDefaults(this);
    fitLabels('#dialog-form');
    typedField(this, { property: 'folder', onDrive: 'folder' });
    fieldProblems(this);
  },
});
