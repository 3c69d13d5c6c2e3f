/** The move node in the editor: moves, renames, copies or restores a file. */
import { registerFlowNode } from '../shared/editor/flow-node';
import { typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './move.defaults';

registerFlowNode('move', DEFAULTS, {
  validators: {
    file: typedInput('file', 'file'),
    folder: typedInput('folder', 'folder'),
    targetName: typedInput('targetName', 'anything'),
  },
  label() {
    if (this.name) return this.name;
    if (this.action === 'copy') return this._('label_copy');
    return this._(this.action === 'restore' ? 'label_restore' : 'label');
  },
  dialog: {
    typedInputs: { file: { selectable: 'any' }, folder: { selectable: 'folder' }, targetName: {} },
  },
});
