/** The upload node in the editor: a Buffer, a string, an object or a file on disk to the drive. */
import { COLOR, label, labelStyle, paletteLabel, showDefaults } from '../shared/editor/definition';
import { rowsByChoice } from '../shared/editor/dependent-rows';
import { progressOutput, transferOutputLabel } from '../shared/editor/progress-output';
import { typedField } from '../shared/editor/typed-field';

RED.nodes.registerType('cloud-drive-upload', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-upload.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    source: { value: 'payload' },
    data: { value: 'payload', validate: RED.validators.typedInput('dataType') },
    dataType: { value: 'msg' },
    filename: { value: 'filename', validate: RED.validators.typedInput('filenameType') },
    filenameType: { value: 'msg' },
    targetName: { value: '', validate: RED.validators.typedInput('targetNameType') },
    targetNameType: { value: 'str' },
    folder: { value: 'folderId', validate: RED.validators.typedInput('folderType') },
    folderType: { value: 'msg' },
    folderPath: { value: '' },
    mimeType: { value: '' },
    ifExists: { value: 'duplicate' },
    createFolders: { value: false },
    keepModifiedTime: { value: true },
    metadata: { value: '', validate: RED.validators.typedInput('metadataType') },
    metadataType: { value: 'str' },
    progress: { value: false },
    outputs: { value: 1 },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label,
  labelStyle,
  inputLabels() {
    return this._('input');
  },
  outputLabels: transferOutputLabel,
  oneditprepare() {
    showDefaults(this);
    typedField({ property: 'data' });
    typedField({ property: 'filename' });
    typedField({ property: 'targetName' });
    typedField({ property: 'folder', onDrive: true });
    typedField({ property: 'metadata', more: ['json'] });
    rowsByChoice('source', { data: ['payload'], filename: ['file'], keepModifiedTime: ['file'] });
    progressOutput();
  },
});
