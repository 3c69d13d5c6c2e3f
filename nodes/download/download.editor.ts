/** The download node in the editor: the content of a file as a Buffer, a string or a file on disk. */
import {
  COLOR,
  inputLabels,
  labelStyle,
  labelValue,
  paletteLabel,
  preselectAccount,
} from '../shared/editor/definition';
import { editorDefaults } from '../shared/editor/editor-defaults';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { progressOutputLabel, syncProgressOutput } from '../shared/editor/progress-output';
import { sharedText } from '../shared/editor/shared-text';
import { atLeast, validateWhen, typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './download.defaults';

RED.nodes.registerType('cloud-drive-download', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-download.svg',
  defaults: editorDefaults(DEFAULTS, {
    file: typedInput('file', 'file'),
    filename: validateWhen('output', ['file'], typedInput('filename', 'path')),
    maxSize: validateWhen('output', ['buffer', 'string'], atLeast(0)),
  }),
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    if (this.name) return this.name;
    const name = labelValue(this, 'file');
    if (name !== '') return this._('label_name', { name });
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
  onadd: preselectAccount,
  oneditprepare() {
    prepareDialog(this, {
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
      prepare: syncProgressOutput,
    });
  },
});
