/** The list-folders node in the editor: the folders in a folder. */
import { COLOR, inputLabels, labelStyle, paletteLabel, labelValue } from '../shared/editor/definition';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { fieldList, atLeast, orderBy, typedInput } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-list-folders', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-list-folders.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    folder: { value: 'payload', validate: typedInput('folder', 'folder') },
    folderType: { value: 'msg' },
    folderPath: { value: '' },
    output: { value: 'array' },
    fields: {
      value: 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents',
      validate: fieldList,
    },
    orderBy: { value: '', validate: orderBy },
    limit: { value: 0, validate: atLeast(0) },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    const folder = labelValue(this, 'folder');
    return this.name || (folder ? this._('label_in', { folder }) : this._('label'));
  },
  labelStyle,
  inputLabels,
  outputLabels() {
    return this._(this.output === 'each' ? 'output_each' : 'output');
  },
  oneditprepare() {
    prepareDialog(this, { typedInputs: { folder: { selectable: 'folder' } } });
  },
});
