/** The delete node in the editor: deletes for ever, or moves to the trash. */
import { COLOR, label, labelStyle, paletteLabel, showDefaults } from '../shared/editor/definition';
import { typedField } from '../shared/editor/typed-field';

RED.nodes.registerType('cloud-drive-delete', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-delete.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    file: { value: 'payload', validate: RED.validators.typedInput('fileType') },
    fileType: { value: 'msg' },
    filePath: { value: '' },
    mode: { value: 'permanent' },
    allowFolders: { value: false },
    missing: { value: 'error' },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label,
  labelStyle,
  inputLabels() {
    return this._('input');
  },
  outputLabels() {
    return this._('output');
  },
  oneditprepare() {
    showDefaults(this);
    typedField({ property: 'file', onDrive: true });
  },
});
