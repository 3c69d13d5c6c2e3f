/** The move node in the editor: moves, renames, copies or restores a file. */
import { COLOR, inputLabels, labelStyle, outputLabels, paletteLabel } from '../shared/editor/definition';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { typedInput } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-move', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-move.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    action: { value: 'move' },
    file: { value: 'payload', validate: typedInput('file', 'file') },
    fileType: { value: 'msg' },
    filePath: { value: '' },
    folder: { value: '', validate: typedInput('folder', 'folder') },
    folderType: { value: 'str' },
    folderPath: { value: '' },
    targetName: { value: '', validate: typedInput('targetName', 'anything') },
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
    prepareDialog(this, {
      typedInputs: { file: { selectable: 'any' }, folder: { selectable: 'folder' }, targetName: {} },
    });
  },
});
