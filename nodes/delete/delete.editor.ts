/** The delete node in the editor: deletes files permanently, or moves them to the trash. */
import { registerFlowNode } from '../shared/editor/flow-node';
import { typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './delete.defaults';

registerFlowNode('delete', DEFAULTS, {
  validators: {
    file: typedInput('file', 'file'),
  },
  label() {
    return this.name || this._(this.mode === 'trash' ? 'label_trash' : 'label_permanent');
  },
  dialog: { typedInputs: { file: { selectable: 'any' } } },
});
