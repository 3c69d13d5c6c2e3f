/** The create-folder node in the editor: creates a folder unless it exists. */
import {
  COLOR,
  inputLabels,
  labelStyle,
  outputLabels,
  paletteLabel,
  labelValue,
  preselectAccount,
} from '../shared/editor/definition';
import { editorDefaults } from '../shared/editor/editor-defaults';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { sharedText } from '../shared/editor/shared-text';
import { typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './create-folder.defaults';

RED.nodes.registerType('cloud-drive-create-folder', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-create-folder.svg',
  defaults: editorDefaults(DEFAULTS, {
    folder: typedInput('folder', 'folder'),
    targetName: typedInput('targetName', 'name'),
  }),
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
  onadd: preselectAccount,
  oneditprepare() {
    prepareDialog(this, {
      typedInputs: {
        folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') },
        targetName: { hint: () => sharedText('hint.folder_name') },
      },
    });
  },
});
