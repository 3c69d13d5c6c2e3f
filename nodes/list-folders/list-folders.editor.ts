/** The list-folders node in the editor: the folders in a folder. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import { fieldList, atLeast, orderBy, typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './list-folders.defaults';

registerFlowNode('list-folders', DEFAULTS, {
  validators: {
    folder: typedInput('folder', 'folder'),
    fields: fieldList,
    orderBy,
    limit: atLeast(0, 'whole'),
  },
  label() {
    const folder = labelValue(this, 'folder');
    return folder ? this._('label_in', { folder }) : this._('label');
  },
  outputLabels() {
    return this._(this.output === 'each' ? 'output_each' : 'output');
  },
  dialog: {
    typedInputs: { folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') } },
  },
});
