/** The download node in the editor: a file's content to a Buffer, a string or the disk. */
import { COLOR, inputLabels, labelStyle, paletteLabel, showDefaults } from '../shared/editor/definition';
import { fitLabels } from '../shared/editor/fit-labels';
import { rowsByChoice } from '../shared/editor/dependent-rows';
import { fieldProblems } from '../shared/editor/field-problems';
import { progressLabel, progressOutput } from '../shared/editor/progress-output';
import { typedField } from '../shared/editor/typed-field';
import { numberFrom, onlyFor, typed } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-download', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-download.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    file: { value: 'payload', validate: typed('file', 'file') },
    fileType: { value: 'msg' },
    filePath: { value: '' },
    filename: { value: 'filename', validate: onlyFor('output', ['file'], typed('filename', 'path')) },
    filenameType: { value: 'msg' },
    output: { value: 'buffer' },
    encoding: { value: 'utf8' },
    maxSize: { value: 256, validate: onlyFor('output', ['buffer', 'string'], numberFrom(0)) },
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
    if (index === 1) return progressLabel();
    if (this.output === 'file') return this._('output_file');
    return this._(this.output === 'string' ? 'output_string' : 'output_buffer');
  },
  oneditprepare() {
    showDefaults(this);
    fitLabels('#dialog-form');
    typedField(this, { property: 'file', onDrive: 'file' });
    typedField(this, { property: 'filename' });
    rowsByChoice('output', {
      encoding: ['string'],
      maxSize: ['buffer', 'string'],
      filename: ['file'],
      overwrite: ['file'],
    });
    progressOutput();
    fieldProblems(this);
  },
});
