/** The move node in the editor: to another folder, under another name, as a copy, or out of the trash. */
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

RED.nodes.registerType('cloud-drive-move', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-move.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    action: { value: 'move' },
    file: { value: 'payload', validate: typed('file', 'file') },
    fileType: { value: 'msg' },
    filePath: { value: '' },
    folder: { value: '', validate: typed('folder', 'folder') },
    folderType: { value: 'str' },
    folderPath: { value: '' },
    targetName: { value: '', validate: typed('targetName', 'anything') },
    targetNameType: { value: 'str' },
    createFolders: { value: false },
    ifExists: { value: 'duplicate' },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    if (this.name) return this.name;
    if (this.action === 'copy') return this._('label_copy');
    return this._(this.action === 'restore' ? 'label_restore' : 'label');
  },
  labelStyle,
  inputLabels,
  outputLabels,
  oneditprepare() {
    showDefaults(this);
    fitLabels('#dialog-form');
    typedField(this, { property: 'file', onDrive: 'any' });
    typedField(this, { property: 'folder', onDrive: 'folder' });
    typedField(this, { property: 'targetName' });
    fieldProblems(this);
  },
});
