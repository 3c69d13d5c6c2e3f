/** The list folders node in the editor: the folders inside a folder. */
import {
  COLOR,
  inputLabels,
  labelStyle,
  paletteLabel,
  showDefaults,
  written,
} from '../shared/editor/definition';
import { fitLabels } from '../shared/editor/fit-labels';
import { fieldProblems } from '../shared/editor/field-problems';
import { typedField } from '../shared/editor/typed-field';
import { fieldList, numberFrom, order, typed } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-list-folders', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-list-folders.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    folder: { value: 'payload', validate: typed('folder', 'folder') },
    folderType: { value: 'msg' },
    folderPath: { value: '' },
    output: { value: 'array' },
    fields: {
      value: 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents',
      validate: fieldList,
    },
    orderBy: { value: '', validate: order },
    limit: { value: 0, validate: numberFrom(0) },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    const folder = written(this, 'folder');
    return this.name || (folder ? this._('label_in', { folder }) : this._('label'));
  },
  labelStyle,
  inputLabels,
  outputLabels() {
    return this._(this.output === 'each' ? 'output_each' : 'output');
  },
  oneditprepare() {
    showDefaults(this);
    fitLabels('#dialog-form');
    typedField(this, { property: 'folder', onDrive: 'folder' });
    fieldProblems(this);
  },
});
