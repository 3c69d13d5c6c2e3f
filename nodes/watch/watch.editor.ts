/** The watch node in the editor: emits a message for each file that is created, changed, moved, trashed or removed. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import { atLeast, typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './watch.defaults';

registerFlowNode('watch', DEFAULTS, {
  validators: {
    folder: typedInput('folder', 'folder'),
    interval: atLeast(1),
    jitter: atLeast(0),
    events: (events: unknown) => events === undefined || (Array.isArray(events) && events.length > 0),
  },
  inputs: 0,
  label() {
    const folder = labelValue(this, 'folder');
    return folder ? this._('label_in', { folder }) : this._('label');
  },
  dialog: {
    typedInputs: {
      folder: {
        selectable: 'folder',
        // The changes of an account don't include those of other drives.
        ownDriveOnly: true,
        hasNoInput: true,
        hint: () => sharedText('hint.folder_drive'),
      },
    },
    prepare(node) {
      const { events = DEFAULTS.events } = node as Partial<typeof DEFAULTS>;
      for (const event of DEFAULTS.events)
        $(`#cloud-drive-event-${event}`).prop('checked', events.includes(event));
    },
  },
  oneditsave() {
    this.events = DEFAULTS.events.filter(
      (event) => $(`#cloud-drive-event-${event}`).prop('checked') === true,
    );
  },
});
