/** The sync folder node in the editor: makes a folder on the drive like one on disk, or the reverse. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { addLocalPickerButton } from '../shared/editor/picker/local-picker';
import { sharedText } from '../shared/editor/shared-text';
import { atLeast, pathPatterns, typedInput } from '../shared/editor/validators';
import { initDirection } from './direction.editor';
import { initPlan } from './plan.editor';
import { DEFAULTS } from './sync.defaults';

registerFlowNode('sync', DEFAULTS, {
  validators: {
    localPath: typedInput('localPath', 'path'),
    folder: typedInput('folder', 'folder'),
    include: pathPatterns,
    exclude: pathPatterns,
    maxRemovals: atLeast(0, 'whole'),
    jitter: atLeast(0),
  },
  label() {
    const direction = this.direction === 'down' ? 'down' : 'up';
    const name = labelValue(this, direction === 'up' ? 'localPath' : 'folder');
    return name === '' ? this._(`label_${direction}`) : this._(`label_${direction}_name`, { name });
  },
  dialog: {
    typedInputs: {
      localPath: { hint: (node) => node._('field.local_path_hint') },
      folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') },
    },
    rows: {
      direction: { exportFormat: ['down'], createFolders: ['up'] },
      extra: { maxRemovals: ['trash', 'delete'] },
    },
    prepare(node) {
      void addLocalPickerButton('localPath', { node: 'cloud-drive-sync', selectable: 'folder' });
      initDirection(node);
      initPlan(node);
    },
  },
});
