/** The create folder node in the editor: a folder, made if it isn't there. */
import {
  COLOR,
  inputLabels,
  labelStyle,
  outputLabels,
  paletteLabel,
  showDefaults,
  written,
} from '../shared/editor/definition';
import { fitLabels } from '../shared/editor/fit-labels';
import { fieldProblems } from '../shared/editor/field-problems';
import { typedField } from '../shared/editor/typed-field';
import { typed } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-create-folder', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-create-folder.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    folder: { value: '', validate: typed('folder', 'folder') },
    folderType: { value: 'str' },
    folderPath: { value: '' },
    targetName: { value: 'payload', validate: typed('targetName', 'name') },
    targetNameType: { value: 'msg' },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    const name = written(this, 'targetName');
    return this.name || (name ? this._('label_name', { name }) : this._('label'));
  },
  labelStyle,
  inputLabels,
  outputLabels,
  oneditprepare() {
    showDefaults(this);
    fitLabels('#dialog-form');
    typedField(this, { property: 'folder', onDrive: 'folder' });
    typedField(this, { property: 'targetName' });
    fieldProblems(this);
  },
});
