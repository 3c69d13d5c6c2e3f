/** The upload node in the editor: uploads a Buffer, a string, an object or a file on disk. */
import { registerFlowNode } from '../shared/editor/flow-node';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { progressOutputLabel, syncProgressOutput } from '../shared/editor/progress-output';
import { mimeType, metadata, validateWhen, typedInput } from '../shared/editor/validators';
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
    return this.name || this._(this.source === 'file' ? 'label_file' : 'label_payload');
  },
  outputLabels(index) {
    return index === 1 ? progressOutputLabel() : this._('output');
  },
  onpaletteadd: revalidateOnWireChange,
  oneditprepare() {
    prepareDialog(this, {
      typedInputs: {
        data: {},
        filename: {},
        targetName: {},
        folder: { selectable: 'folder' },
        metadata: { extraTypes: ['json'] },
      },
      rows: { source: { data: ['payload'], filename: ['file'], keepModifiedTime: ['file'] } },
      prepare: () => {
        showTargetNamePlaceholder((key) => this._(key));
        syncProgressOutput();
      },
    });
  },
});

/** Shows in the empty name field where the name comes from instead. */
function showTargetNamePlaceholder(text: (key: string) => string): void {
  const source = $('#node-input-source');
  const input = $('#node-input-targetName').next().find('input');
  const update = (): void => {
    const isFile = source.val() === 'file';
    input.attr('placeholder', text(isFile ? 'field.target_name_file' : 'field.target_name_payload'));
  };
  source.on('change', update);
  update();
}
