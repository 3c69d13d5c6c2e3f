/** The download node in the editor: the content of a file as a Buffer, a string or a file on disk. */
import { COLOR, inputLabels, labelStyle, paletteLabel } from '../shared/editor/definition';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { progressOutputLabel, syncProgressOutput } from '../shared/editor/progress-output';
import { atLeast, validateWhen, typedInput } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-download', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-download.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    file: { value: 'payload', validate: typedInput('file', 'file') },
    fileType: { value: 'msg' },
    filePath: { value: '' },
    filename: {
      value: 'filename',
      validate: validateWhen('output', ['file'], typedInput('filename', 'path')),
    },
    filenameType: { value: 'msg' },
    output: { value: 'buffer' },
    encoding: { value: 'utf8' },
    maxSize: { value: 256, validate: validateWhen('output', ['buffer', 'string'], atLeast(0)) },
    overwrite: { value: 'replace' },
    acknowledgeAbuse: { value: false },
    exportFormat: { value: '' },
    progress: { value: false },
    outputs: { value: 1 },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    if (this.name) return this.name;
    if (this.output === 'file') return this._('label_file');
    return this._(this.output === 'string' ? 'label_string' : 'label_buffer');
  },
  labelStyle,
  inputLabels,
  outputLabels(index) {
    if (index === 1) return progressOutputLabel();
    if (this.output === 'file') return this._('output_file');
    return this._(this.output === 'string' ? 'output_string' : 'output_buffer');
  },
  oneditprepare() {
    prepareDialog(this, {
      typedInputs: { file: { selectable: 'file' }, filename: {} },
      rows: {
        output: {
          encoding: ['string'],
          maxSize: ['buffer', 'string'],
          filename: ['file'],
          overwrite: ['file'],
        },
      },
      prepare: syncProgressOutput,
    });
  },
});
