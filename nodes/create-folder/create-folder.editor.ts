/** The create-folder node in the editor: creates a folder unless it exists. */
import {
  COLOR,
  inputLabels,
  labelStyle,
  outputLabels,
  paletteLabel,
  labelValue,
} from '../shared/editor/definition';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { typedInput } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-create-folder', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-create-folder.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    folder: { value: '', validate: typedInput('folder', 'folder') },
    folderType: { value: 'str' },
    folderPath: { value: '' },
    targetName: { value: 'payload', validate: typedInput('targetName', 'name') },
    targetNameType: { value: 'msg' },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    const name = labelValue(this, 'targetName');
    return this.name || (name ? this._('label_name', { name }) : this._('label'));
  },
  labelStyle,
  inputLabels,
  outputLabels,
  oneditprepare() {
    prepareDialog(this, { typedInputs: { folder: { selectable: 'folder' }, targetName: {} } });
  },
});
