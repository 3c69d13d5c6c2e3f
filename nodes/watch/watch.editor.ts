/** The watch node in the editor: emits a message for each file that is created, changed, moved, trashed or removed. */
import { COLOR, labelStyle, outputLabels, paletteLabel, labelValue } from '../shared/editor/definition';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { atLeast, typedInput } from '../shared/editor/validators';

const EVENTS = ['created', 'changed', 'moved', 'trashed', 'removed'];

RED.nodes.registerType('cloud-drive-watch', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-watch.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    folder: { value: '', validate: typedInput('folder', 'folder') },
    folderType: { value: 'str' },
    folderPath: { value: '' },
    recursive: { value: false },
    interval: { value: 60, validate: atLeast(1) },
    events: {
      value: ['created', 'changed', 'moved', 'trashed', 'removed'],
      validate: (events: unknown) => events === undefined || (Array.isArray(events) && events.length > 0),
    },
    start: { value: 'now' },
  },
  inputs: 0,
  outputs: 1,
  paletteLabel,
  label() {
    const folder = labelValue(this, 'folder');
    return this.name || (folder ? this._('label_in', { folder }) : this._('label'));
  },
  labelStyle,
  outputLabels,
  oneditprepare() {
    prepareDialog(this, { typedInputs: { folder: { selectable: 'folder', hasNoInput: true } } });
    const events: readonly string[] = this.events ?? EVENTS;
    for (const event of EVENTS) $(`#cloud-drive-event-${event}`).prop('checked', events.includes(event));
  },
  oneditsave() {
    this.events = EVENTS.filter((event) => $(`#cloud-drive-event-${event}`).prop('checked') === true);
  },
});
