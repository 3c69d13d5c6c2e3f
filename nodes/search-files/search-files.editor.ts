/** The search-files node in the editor: finds files by name and other properties. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import {
  fieldList,
  mimeTypePattern,
  atLeast,
  orderBy,
  searchQuery,
  searchText,
  time,
  typedInput,
  typedText,
  validateWhen,
} from '../shared/editor/validators';
import { initSearchTest } from './search-test.editor';
import { DEFAULTS } from './search-files.defaults';

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
