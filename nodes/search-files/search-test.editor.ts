/** Tests a search in the dialog: shows the first files that the node would find with the current settings. */
import { adminRequest } from '../shared/editor/admin-request';
import { isGoogleAccount } from '../shared/editor/browse-client';
import { initDialogTest, nameList, selectedAccount } from '../shared/editor/dialog-test';
import { fileIcon, fileRow } from '../shared/editor/file-row';
import type { SearchTestResult } from '../shared/contract/dialog-api';

/** Call it after all other preparation of the fields. */
export function initSearchTest(node: EditorNode): void {
  initDialogTest(node, {
    inputs: ['folder', 'text'],
    examples: 'optional',
    running: () => node._('test.looking'),
    run: async (values, signal) => {
      const account = selectedAccount();
      const options = { node: 'cloud-drive-search-files', body: values, signal };
      const result = await adminRequest<SearchTestResult>('POST', [account, 'test'], options);
      return describeResult(node, result, isGoogleAccount(account));
    },
  });
}

function describeResult(node: EditorNode, result: SearchTestResult, isGoogle: boolean): JQuery[] {
  const { files, more, incomplete } = result;
  const elements = [$('<p>').text(summary(node, files.length, { more, isGoogle }))];
  if (incomplete) elements.push($('<p>').text(node._('test.incomplete')));
  const rows = files.map((file) =>
    $('<i aria-hidden="true">')
      .addClass(`${fileIcon(file)} fa-fw`)
      .add(fileRow(file)),
  );
  return [...elements, nameList(rows)];
}

function summary(
  node: EditorNode,
  count: number,
  { more, isGoogle }: { more: boolean; isGoogle: boolean },
): string {
  if (more) return node._('test.more', { count });
  if (count > 1) return node._('test.all', { count });
  if (count === 1) return node._('test.one');
  const folder = $('#node-input-folder');
  const hasFolder = $('#node-input-where').val() === 'folder' && folder.typedInput('value') !== '';
  const isGoogleContains = $('#node-input-match').val() === 'contains' && isGoogle && !hasFolder;
  return node._(isGoogleContains ? 'test.none_contains' : 'test.none');
}
