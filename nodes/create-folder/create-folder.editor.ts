/** The create-folder node in the editor: creates a folder unless it exists. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import { typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './create-folder.defaults';

registerFlowNode('create-folder', DEFAULTS, {
  validators: {
    folder: typedInput('folder', 'folder'),
    targetName: typedInput('targetName', 'name'),
  },
  label() {
    const name = labelValue(this, 'targetName');
    return name ? this._('label_name', { name }) : this._('label');
  },
  dialog: {
    typedInputs: {
      folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') },
      targetName: { hint: () => sharedText('hint.folder_name') },
    },
  },
});
