/** Lists in the dialog what a backup with the current settings would include, without uploading anything. */
import type { BackupTestResponse } from '../shared/contract/dialog-api';
import { adminRequest } from '../shared/editor/admin-request';
import { initDialogTest, literalOrExample, nameList, nameRow } from '../shared/editor/dialog-test';
import { formatSize } from '../shared/editor/format';

/** Call it after all other preparation of the fields. */
export function initBackupTest(node: EditorNode): void {
  initDialogTest(node, {
    inputs: ['source'],
    required: ['source'],
    examples: 'required',
    running: () => node._('test.running'),
    run: async (values, signal) => {
      const body = { source: literalOrExample('source', values), exclude: values.settings['exclude'] };
      const options = { node: 'cloud-drive-backup', body, signal };
      return describeResult(node, await adminRequest<BackupTestResponse>('POST', ['test'], options));
    },
  });
}

function describeResult(node: EditorNode, response: BackupTestResponse): JQuery[] {
  const { first, skipped, firstSkipped } = response;
  const elements = [$('<p>').text(summary(node, response)), nameList(first.map(nameRow))];
  if (skipped > 0)
    elements.push(
      $('<p>').text(node._('test.skipped', { count: skipped.toLocaleString() })),
      nameList(firstSkipped.map(nameRow)),
    );
  return elements;
}

function summary(node: EditorNode, { entries, bytes, first, isStopped }: BackupTestResponse): string {
  const counts = {
    entries: entries.toLocaleString(),
    size: formatSize(bytes),
    shown: first.length.toLocaleString(),
  };
  if (isStopped) return node._('test.stopped', counts);
  if (entries === 0) return node._('test.none');
  return entries > first.length ? node._('test.more', counts) : node._('test.all', counts);
}
