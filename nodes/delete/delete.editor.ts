/** The delete node in the editor: deletes files permanently, moves them to the trash, or empties the trash. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import { typedInput, validateWhen } from '../shared/editor/validators';
import { DEFAULTS } from './delete.defaults';

registerFlowNode('delete', DEFAULTS, {
  validators: {
    // A flow saved by an older version has no `what`.
    file: validateWhen('what', ['file', ''], typedInput('file', 'file')),
  },
  label() {
    if (this.what === 'trash') return this._('label_empty_trash');
    const action = this._(this.mode === 'trash' ? 'label_trash' : 'label_permanent');
    const name = labelValue(this, 'file');
    return name === '' ? action : this._('label_name', { action, name });
  },
  outputLabels() {
    return this._(this.what === 'trash' ? 'output_emptied' : 'output');
  },
  dialog: {
    typedInputs: { file: { selectable: 'any', hint: () => sharedText('hint.file') } },
    rows: { what: { file: ['file'], mode: ['file'], allowFolders: ['file'] } },
    prepare() {
      const what = $('#node-input-what');
      const update = (): void => {
        const isTrash = what.val() === 'trash';
        $('#cloud-drive-empty-trash').toggle(isTrash);
        $('.cloud-drive-advanced').toggle(!isTrash);
      };
      what.on('change', update);
      update();
    },
  },
});
