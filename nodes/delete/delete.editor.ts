/** The delete node in the editor: deletes files permanently, or moves them to the trash. */
import {
  COLOR,
  inputLabels,
  labelStyle,
  labelValue,
  outputLabels,
  paletteLabel,
  preselectAccount,
} from '../shared/editor/definition';
import { editorDefaults } from '../shared/editor/editor-defaults';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { sharedText } from '../shared/editor/shared-text';
import { typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './delete.defaults';

RED.nodes.registerType('cloud-drive-delete', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-delete.svg',
  defaults: editorDefaults(DEFAULTS, {
    file: typedInput('file', 'file'),
  }),
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    if (this.name) return this.name;
    const action = this._(this.mode === 'trash' ? 'label_trash' : 'label_permanent');
    const name = labelValue(this, 'file');
    return name === '' ? action : this._('label_name', { action, name });
  },
  labelStyle,
  inputLabels,
  outputLabels,
  onadd: preselectAccount,
  oneditprepare() {
    prepareDialog(this, {
      typedInputs: { file: { selectable: 'any', hint: () => sharedText('hint.file') } },
    });
  },
});
