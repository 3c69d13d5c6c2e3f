/** The create folder node in the editor: a folder, made if it isn't there. */
import { COLOR, label, labelStyle, paletteLabel, showDefaults } from '../shared/editor/definition';
import { typedField } from '../shared/editor/typed-field';

RED.nodes.registerType('cloud-drive-create-folder', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-create-folder.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    folder: { value: '', validate: RED.validators.typedInput('folderType') },
    folderType: { value: 'str' },
    folderPath: { value: '' },
    targetName: { value: 'payload', validate: RED.validators.typedInput('targetNameType') },
    targetNameType: { value: 'msg' },
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
    typedField({ property: 'folder', onDrive: true });
    typedField({ property: 'targetName' });
  },
});
