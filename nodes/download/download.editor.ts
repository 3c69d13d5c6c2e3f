/** The download node in the editor: the content of a file as a Buffer, a string or a file on disk. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import { atLeast, typedInput, validateWhen } from '../shared/editor/validators';
import { DEFAULTS } from './download.defaults';

registerFlowNode('download', DEFAULTS, {
  validators: {
    file: typedInput('file', 'file'),
    filename: validateWhen('output', ['file'], typedInput('filename', 'path')),
    maxSize: validateWhen('output', ['buffer', 'string'], atLeast(0)),
  },
  label() {
    const name = labelValue(this, 'file');
    if (name !== '') return this._('label_name', { name });
    if (this.output === 'file') return this._('label_file');
    return this._(this.output === 'string' ? 'label_string' : 'label_buffer');
  },
  outputLabels() {
    if (this.output === 'file') return this._('output_file');
    return this._(this.output === 'string' ? 'output_string' : 'output_buffer');
  },
  dialog: {
    typedInputs: {
      file: { selectable: 'file', hint: () => sharedText('hint.file') },
      filename: { hint: () => sharedText('hint.target_path') },
    },
    rows: {
      output: {
        encoding: ['string'],
        maxSize: ['buffer', 'string'],
        filename: ['file'],
        overwrite: ['file'],
      },
    },
  },
});
