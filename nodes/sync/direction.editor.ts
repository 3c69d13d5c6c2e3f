/** The direction in the dialog: a picture, the order of the fields, and what happens to files at the destination. */
import { isReference } from '../shared/contract/values';
import { fieldValue } from '../shared/editor/fields';
import { sharedText } from '../shared/editor/shared-text';
import { DEFAULTS } from './sync.defaults';

/** Shows what depends on the direction, while the fields change. */
export function initDirection(node: EditorNode): void {
  const direction = $('#node-input-direction');
  const update = (): void => {
    putFirst(isUp() ? 'disk' : 'drive');
    preventTrashOnDisk();
  };
  direction.on('change', update);
  update();
  const describe = (): void => {
    for (const [place, property] of [
      ['disk', 'localPath'],
      ['drive', 'folder'],
    ] as const)
      $(`#cloud-drive-${place} span`).text(folderName(property));
    const sentence = extraSentence(node);
    // Screen readers read the element whenever it changes.
    if ($('#cloud-drive-extra').text() !== sentence) $('#cloud-drive-extra').text(sentence);
  };
  $('#dialog-form').on('change input', describe);
  describe();
}

/** The source comes first, in the picture and in the form. */
function putFirst(source: 'disk' | 'drive'): void {
  const row = (property: string): JQuery => $(`#node-input-${property}`).closest('.form-row');
  const destination = source === 'disk' ? 'drive' : 'disk';
  $('#cloud-drive-direction')
    .prepend($(`#cloud-drive-${source}`))
    .append($(`#cloud-drive-${destination}`));
  if (source === 'disk') row('localPath').insertBefore(row('folder'));
  else row('folder').insertBefore(row('localPath'));
}

/** A disk has no trash. */
function preventTrashOnDisk(): void {
  const extra = $('#node-input-extra');
  extra.find('option[value="trash"]').prop({ disabled: !isUp(), hidden: !isUp() });
  if (!isUp() && (extra.val() === 'trash' || extra.val() === null)) extra.val('keep').trigger('change');
}

/** What is known of a folder before a message arrives: `/home/pi/photos`, or `msg.filename`. */
function folderName(property: 'localPath' | 'folder'): string {
  const [type, value] = [field(`${property}Type`), field(property)];
  if (type === 'drive') return field(`${property}Path`) || value;
  if (type === 'str') return value === '' && property === 'folder' ? '/' : value;
  return type === 'jsonata' || type === 'env' ? value : `${type}.${value}`;
}

/** “Files that exist only on the drive are moved to the trash.” */
function extraSentence(node: EditorNode): string {
  const place = isUp() ? 'drive' : 'disk';
  const count = field('maxRemovals').trim() || String(DEFAULTS.maxRemovals);
  if (!isReference(count) && !(Number(count) >= 0)) return sharedText('retention.invalid');
  return node._(`extra.${field('extra')}_${place}`, { count });
}

function isUp(): boolean {
  return field('direction') !== 'down';
}

function field(property: string): string {
  return fieldValue($(`#node-input-${property}`));
}
