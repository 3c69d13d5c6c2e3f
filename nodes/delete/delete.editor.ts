/** The delete node in the editor: deletes for ever, or moves to the trash. */
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
import { typed } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-delete', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-delete.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    file: { value: 'payload', validate: typed('file', 'file') },
    fileType: { value: 'msg' },
    filePath: { value: '' },
    mode: { value: 'permanent' },
    allowFolders: { value: false },
    missing: { value: 'error' },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    return this.name || this._(this.mode === 'trash' ? 'label_trash' : 'label_permanent');
  },
  labelStyle,
  inputLabels,
  outputLabels,
  oneditprepare() {
    showDefaults(this);
    fitLabels('#dialog-form');
    typedField(this, { property: 'file', onDrive: 'any' });
    fieldProblems(this);
  },
});
