/** The move node in the editor: moves, renames, copies or restores a file, or creates a shortcut to it. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import { typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './move.defaults';

const LABELS: Readonly<Partial<Record<string, string>>> = {
  copy: 'label_copy',
  restore: 'label_restore',
  shortcut: 'label_shortcut',
};

registerFlowNode('move', DEFAULTS, {
  validators: {
    file: typedInput('file', 'file'),
    folder: typedInput('folder', 'folder'),
    targetName: typedInput('targetName', 'anything'),
  },
  label() {
    const action = this._(LABELS[this.action] ?? 'label');
    const name = labelValue(this, 'file') || labelValue(this, 'targetName');
    return name === '' ? action : this._('label_name', { action, name });
  },
  dialog: {
    typedInputs: {
      file: { selectable: 'any', hint: () => sharedText('hint.file') },
      folder: {
        selectable: 'folder',
        hint: (node) => {
          const isShortcut = $('#node-input-action').val() === 'shortcut';
          return isShortcut ? sharedText('hint.folder_root') : node._('field.folder_same');
        },
      },
      targetName: { hint: (node) => node._('field.target_name_same') },
    },
  },
});
