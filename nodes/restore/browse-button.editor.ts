/** The button that opens the picker for backups, and what it changes in the dialog. */
import { isLiteral } from '../shared/contract/values';
import { fieldValue, openSection } from '../shared/editor/fields';
import { dialogSettings } from '../shared/editor/dialog-test';
import { pickDriveFile } from '../shared/editor/picker/picker-button';
import { type PickedBackup, openBackupPicker } from './backup-picker.editor';
import { workBody } from './work-client.editor';

export function initBrowseButton(node: EditorNode): void {
  const button = $('#cloud-drive-browse');
  const hint = $('#cloud-drive-browse-hint');
  // Looked up now: while the picker is open, the dialog is not in the document.
  const [which, select, include] = ['which', 'select', 'include'].map((name) => $(`#node-input-${name}`)) as [
    ...[JQuery, JQuery, JQuery],
  ];
  button.on('click', () => {
    const isKnown = isLiteral(field('folderType'), field('folder'));
    hint.text(isKnown ? '' : node._('browse.folder_unknown'));
    if (!isKnown) return;
    const account = field('account');
    const from = field('from') === 'snapshots' ? 'snapshots' : 'archives';
    const folder = field('folderType') === 'drive' ? field('folderPath') : field('folder');
    openBackupPicker({
      ...{ node, from },
      account: account === '_ADD_' ? '' : account,
      body: workBody(node, { settings: dialogSettings(node), examples: {} }),
      include: linesOf(include),
      onPick: (picked) => {
        if (!picked.backup.selected) setBackup(picked, { from, folder, which, select });
        if (picked.include) include.val(picked.include.join('\n'));
      },
      onClosed: () => {
        // The editor validates a field only while it is in the document.
        for (const input of [which, select, include]) input.trigger('change');
        if (fieldValue(include) !== '') openSection(include);
        button.trigger('focus');
      },
    });
  });
}

interface BackupFields {
  from: 'archives' | 'snapshots';
  /** Path, as far as it is known. */
  folder: string;
  which: JQuery;
  select: JQuery;
}

function setBackup({ backup }: PickedBackup, { from, folder, which, select }: BackupFields): void {
  const { id, name } = backup;
  if (from === 'archives') {
    which.val('file');
    return pickDriveFile(select, { id, path: `${folder.replace(/\/$/, '')}/${name}` });
  }
  which.val('id');
  select.typedInput('type', 'str');
  select.typedInput('value', id);
}

function linesOf(include: JQuery): string[] {
  const lines = fieldValue(include).split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

function field(property: string): string {
  return fieldValue($(`#node-input-${property}`)).trim();
}
