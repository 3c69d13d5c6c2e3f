/** The upload node in the editor: uploads a Buffer, a string, an object or a file on disk. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { progressOutputLabel, syncProgressOutput } from '../shared/editor/fields';
import { sharedText } from '../shared/editor/shared-text';
import { metadata, mimeType, typedInput, validateWhen } from '../shared/editor/validators';
import { revalidateOnWireChange, targetName } from './target-name-validator.editor';
import { DEFAULTS } from './upload.defaults';

registerFlowNode('upload', DEFAULTS, {
  validators: {
    data: validateWhen('source', ['payload'], typedInput('data', 'anything')),
    filename: validateWhen('source', ['file'], typedInput('filename', 'path')),
    targetName,
    folder: typedInput('folder', 'folder'),
    mimeType,
    metadata,
  },
  label() {
    const isFile = this.source === 'file';
    const name = labelValue(this, 'targetName') || (isFile ? labelValue(this, 'filename') : '');
    if (name !== '') return this._('label_name', { name });
    return this._(isFile ? 'label_file' : 'label_payload');
  },
  outputLabels(index) {
    return index === 1 ? progressOutputLabel() : this._('output');
  },
  onpaletteadd: revalidateOnWireChange,
  dialog: {
    typedInputs: {
      data: { hint: (node) => node._('field.data_text') },
      filename: { hint: () => sharedText('hint.source_path') },
      // Without a name in this field, it comes from elsewhere.
      targetName: {
        hint: (node) => {
          const isFile = $('#node-input-source').val() === 'file';
          return node._(isFile ? 'field.target_name_file' : 'field.target_name_payload');
        },
      },
      folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') },
      metadata: { extraTypes: ['json'], hint: () => '{"description": "…"}' },
    },
    rows: { source: { data: ['payload'], filename: ['file'], keepModifiedTime: ['file'] } },
    prepare: syncProgressOutput,
  },
});
