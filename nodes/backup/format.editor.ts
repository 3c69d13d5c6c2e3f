/** The format in the dialog: an archive, or a snapshot in a repository. Each has fields of its own. */
import { fieldValue } from '../shared/editor/fields';
import { sharedText } from '../shared/editor/shared-text';

/** A flow saved by an older version has no format. */
export const ARCHIVE = ['archive', ''];

const ROWS = {
  archive: ['targetName', 'compression', 'encryption'],
  snapshot: ['tags', 'packSize', 'maxUnused'],
};

/** Shows the rows of the selected format, also whenever it changes. */
export function initFormat(node: EditorNode): void {
  // The editor translates texts again after it has prepared the dialog.
  const texts = [$('#cloud-drive-keep-hint'), $('#cloud-drive-minimum-unit')] as const;
  for (const text of texts) text.removeAttr('data-i18n');
  const update = (): void => {
    const format = isSnapshot() ? 'snapshot' : 'archive';
    for (const [each, properties] of Object.entries(ROWS))
      for (const property of properties) row(property).toggle(each === format);
    $('#cloud-drive-archive-hint').toggle(format === 'archive');
    $('#cloud-drive-snapshot-hint').toggle(format === 'snapshot');
    showEncryption(node, format);
    const group = format === 'snapshot' ? 'snapshots' : 'retention';
    texts[0].text(sharedText(`${group}.keep_hint`));
    texts[1].text(sharedText(`${group}.minimum_unit`));
  };
  $('#node-input-format, #node-input-encryption').on('change', update);
  update();
}

/** The passphrase of a repository is required, so its row is outside of the section “Advanced”. */
function showEncryption(node: EditorNode, format: keyof typeof ROWS): void {
  const encryption = format === 'snapshot' ? 'passphrase' : fieldValue($('#node-input-encryption'));
  const passphrase = row('passphrase').toggle(encryption === 'passphrase');
  row('recipients').toggle(encryption === 'recipients');
  const before = row(format === 'snapshot' ? 'format' : 'encryption');
  if (!passphrase.prev().is(before)) passphrase.insertAfter(before);
  const hint = format === 'snapshot' ? 'field.passphrase_hint_snapshot' : 'field.passphrase_hint';
  $('#cloud-drive-passphrase-hint').text(node._(hint));
}

export function isSnapshot(): boolean {
  return fieldValue($('#node-input-format')) === 'snapshot';
}

function row(property: string): JQuery {
  return $(`#node-input-${property}`).closest('.form-row');
}
