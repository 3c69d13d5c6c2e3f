/** The watch node in the editor: a message for each file that is created, changed, moved, trashed or removed. */
import {
  COLOR,
  labelStyle,
  outputLabels,
  paletteLabel,
  showDefaults,
  written,
} from '../shared/editor/definition';
import { fitLabels } from '../shared/editor/fit-labels';
import { fieldProblems } from '../shared/editor/field-problems';
import { typedField } from '../shared/editor/typed-field';
import { numberFrom, typed } from '../shared/editor/validators';

const EVENTS = ['created', 'changed', 'moved', 'trashed', 'removed'];

RED.nodes.registerType('cloud-drive-watch', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-watch.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    folder: { value: '', validate: typed('folder', 'folder') },
    folderType: { value: 'str' },
    folderPath: { value: '' },
    recursive: { value: false },
    interval: { value: 60, validate: numberFrom(1) },
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
    const folder = written(this, 'folder');
    return this.name || (folder ? this._('label_in', { folder }) : this._('label'));
  },
  labelStyle,
  outputLabels,
  oneditprepare() {
    showDefaults(this);
    fitLabels('#dialog-form');
    typedField(this, { property: 'folder', onDrive: 'folder', noMessage: true });
    fieldProblems(this);
    const events: readonly string[] = this.events ?? EVENTS;
    for (const event of EVENTS) $(`#cloud-drive-event-${event}`).prop('checked', events.includes(event));
  },
  oneditsave() {
    this.events = EVENTS.filter((event) => $(`#cloud-drive-event-${event}`).prop('checked') === true);
  },
});
