/** The search-files node in the editor: finds files by name and other properties. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import {
  atLeast,
  fieldList,
  mimeTypePattern,
  orderBy,
  searchQuery,
  searchText,
  time,
  typedInput,
  typedText,
  validateWhen,
} from '../shared/editor/validators';
import { DEFAULTS } from './search-files.defaults';
import { adminRequest } from '../shared/editor/admin-request';
import { isGoogleAccount } from '../shared/editor/browse-client';
import { initDialogTest, nameList, selectedAccount } from '../shared/editor/dialog-test';
import { fileIcon, fileRow } from '../shared/editor/file-row';
import type { SearchTestResult } from '../shared/contract/dialog-api';

registerFlowNode('search-files', DEFAULTS, {
  validators: {
    folder: validateWhen('where', ['folder', ''], typedInput('folder', 'folder')),
    text: searchText,
    fields: fieldList,
    orderBy,
    limit: typedText('limit', atLeast(0, 'whole')),
    query: searchQuery,
    maxDepth: validateWhen('recursive', ['true'], atLeast(0, 'whole')),
    modifiedAfter: typedText('modifiedAfter', time),
    modifiedBefore: typedText('modifiedBefore', time),
    minSize: typedText('minSize', atLeast(0)),
    maxSize: typedText('maxSize', atLeast(0)),
    mimeType: typedText('mimeType', mimeTypePattern),
  },
  label() {
    const text = labelValue(this, 'text');
    if (text) return this._('label_text', { text });
    return this._(this.kind === 'folders' ? 'label_folders' : 'label');
  },
  outputLabels() {
    return this._(this.output === 'each' ? 'output_each' : 'output');
  },
  dialog: {
    typedInputs: {
      folder: { selectable: 'folder', hint: () => sharedText('hint.folder_drive') },
      text: { hint: (node) => node._('field.text_all') },
      modifiedAfter: { hint: (node) => node._('field.modified_hint') },
      modifiedBefore: { hint: (node) => node._('field.modified_hint') },
      minSize: { hint: (node) => node._('field.bytes') },
      maxSize: { hint: (node) => node._('field.bytes') },
      mimeType: { hint: () => 'image/*' },
      limit: { hint: () => sharedText('row.limit_hint') },
    },
    rows: {
      match: { caseSensitive: ['anywhere', 'glob', 'regex'] },
      recursive: { maxDepth: ['true'] },
      where: { folder: ['folder'], recursive: ['folder'] },
    },
    prepare(node) {
      showMatchHint();
      initSearchTest(node);
    },
  },
});

/** What the default finds depends on the folder. */
function showMatchHint(): void {
  const match = $('#node-input-match');
  const update = (): void => void $('#cloud-drive-match-hint').toggle(match.val() === 'contains');
  match.on('change', update);
  update();
}

/** Call it after all other preparation of the fields. */
function initSearchTest(node: EditorNode): void {
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
