/** The delete node in the editor: deletes files permanently, or moves them to the trash. */
import { COLOR, inputLabels, labelStyle, outputLabels, paletteLabel } from '../shared/editor/definition';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { typedInput } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-delete', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-delete.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    file: { value: 'payload', validate: typedInput('file', 'file') },
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
    prepareDialog(this, { typedInputs: { file: { selectable: 'any' } } });
  },
});
