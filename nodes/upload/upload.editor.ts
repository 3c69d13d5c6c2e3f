/** The upload node in the editor: a Buffer, a string, an object or a file on disk to the drive. */
import { COLOR, inputLabels, labelStyle, paletteLabel, showDefaults } from '../shared/editor/definition';
import { fitLabels } from '../shared/editor/fit-labels';
import { rowsByChoice } from '../shared/editor/dependent-rows';
import { fieldProblems } from '../shared/editor/field-problems';
import { progressLabel, progressOutput } from '../shared/editor/progress-output';
import { typedField } from '../shared/editor/typed-field';
import { mediaType, metadata, onlyFor, typed } from '../shared/editor/validators';
import { checkWithWires, nameOnDrive } from './target-name-check.editor';

RED.nodes.registerType('cloud-drive-upload', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-upload.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    source: { value: 'payload' },
    data: { value: 'payload', validate: onlyFor('source', ['payload'], typed('data', 'anything')) },
    dataType: { value: 'msg' },
    filename: { value: 'filename', validate: onlyFor('source', ['file'], typed('filename', 'path')) },
    filenameType: { value: 'msg' },
    targetName: { value: '', validate: nameOnDrive },
    targetNameType: { value: 'str' },
    folder: { value: 'folderId', validate: typed('folder', 'folder') },
    folderType: { value: 'msg' },
    folderPath: { value: '' },
    mimeType: { value: '', validate: mediaType },
    ifExists: { value: 'duplicate' },
    createFolders: { value: false },
    keepModifiedTime: { value: true },
    metadata: { value: '', validate: metadata },
    metadataType: { value: 'str' },
    progress: { value: false },
    outputs: { value: 1 },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    return this.name || this._(this.source === 'file' ? 'label_file' : 'label_payload');
  },
  labelStyle,
  inputLabels,
  outputLabels(index) {
    return index === 1 ? progressLabel() : this._('output');
  },
  onpaletteadd: checkWithWires,
  oneditprepare() {
    showDefaults(this);
    fitLabels('#dialog-form');
    typedField(this, { property: 'data' });
    typedField(this, { property: 'filename' });
    typedField(this, { property: 'targetName' });
    typedField(this, { property: 'folder', onDrive: 'folder' });
    typedField(this, { property: 'metadata', more: ['json'] });
    rowsByChoice('source', { data: ['payload'], filename: ['file'], keepModifiedTime: ['file'] });
    saveAsHint((key) => this._(key));
    progressOutput();
    fieldProblems(this);
  },
});

/** Says in the empty field where the name then comes from. */
function saveAsHint(text: (key: string) => string): void {
  const source = $('#node-input-source');
  const shown = $('#node-input-targetName').next().find('input');
  const update = (): void => {
    const isFile = source.val() === 'file';
    shown.attr('placeholder', text(isFile ? 'field.target_name_file' : 'field.target_name_payload'));
  };
  source.on('change', update);
  update();
}
