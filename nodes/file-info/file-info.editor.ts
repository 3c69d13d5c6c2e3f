/** The file info node in the editor: shows or changes the metadata of a file. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import { fieldList, typedInput } from '../shared/editor/validators';
import { changes } from './changes-validator.editor';
import { DEFAULTS } from './file-info.defaults';

registerFlowNode('file-info', DEFAULTS, {
  validators: { file: typedInput('file', 'file'), changes, fields: fieldList },
  label() {
    const name = labelValue(this, 'file');
    return name === '' ? this._('label') : this._('label_name', { name });
  },
  dialog: {
    typedInputs: {
      file: { selectable: 'any', hint: () => sharedText('hint.file') },
      changes: { extraTypes: ['json'], hint: () => '{"description": "…"}' },
    },
  },
});
