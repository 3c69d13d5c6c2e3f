/** The move node in the editor: moves, renames, copies or restores a file. */
import {
  COLOR,
  inputLabels,
  labelStyle,
  outputLabels,
  paletteLabel,
  preselectAccount,
} from '../shared/editor/definition';
import { editorDefaults } from '../shared/editor/editor-defaults';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './move.defaults';

RED.nodes.registerType('cloud-drive-move', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-move.svg',
  defaults: editorDefaults(DEFAULTS, {
    file: typedInput('file', 'file'),
    folder: typedInput('folder', 'folder'),
    targetName: typedInput('targetName', 'anything'),
  }),
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
  onadd: preselectAccount,
  oneditprepare() {
    prepareDialog(this, {
      typedInputs: { file: { selectable: 'any' }, folder: { selectable: 'folder' }, targetName: {} },
    });
  },
});
