/** The delete node in the editor: deletes files permanently, or moves them to the trash. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import { typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './delete.defaults';

registerFlowNode('delete', DEFAULTS, {
  validators: {
    file: typedInput('file', 'file'),
  },
  label() {
    if (this.name) return this.name;
    const action = this._(this.mode === 'trash' ? 'label_trash' : 'label_permanent');
    const name = labelValue(this, 'file');
    return name === '' ? action : this._('label_name', { action, name });
  },
  dialog: { typedInputs: { file: { selectable: 'any', hint: () => sharedText('hint.file') } } },
});
