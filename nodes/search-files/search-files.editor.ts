/** The search-files node in the editor: finds files by name and other properties. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { sharedText } from '../shared/editor/shared-text';
import {
  fieldList,
  mimeTypePattern,
  atLeast,
  orderBy,
  searchText,
  time,
  typedInput,
  validateWhen,
} from '../shared/editor/validators';
import { initSearchTest } from './search-test.editor';
import { DEFAULTS } from './search-files.defaults';

registerFlowNode('search-files', DEFAULTS, {
  validators: {
    folder: typedInput('folder', 'folder'),
    text: searchText,
    fields: fieldList,
    orderBy,
    limit: atLeast(0),
    maxDepth: validateWhen('recursive', ['true'], atLeast(0)),
    modifiedAfter: time,
    modifiedBefore: time,
    minSize: atLeast(0),
    maxSize: atLeast(0),
    mimeType: mimeTypePattern,
  },
  label() {
    const text = labelValue(this, 'text');
    if (this.name) return this.name;
    if (text) return this._('label_text', { text });
    return this._(this.kind === 'folders' ? 'label_folders' : 'label');
  },
  outputLabels() {
    return this._(this.output === 'each' ? 'output_each' : 'output');
  },
  oneditprepare() {
    prepareDialog(this, {
      typedInputs: {
        folder: { selectable: 'folder', hint: () => sharedText('hint.folder_drive') },
        text: { hint: () => this._('field.text_all') },
      },
      rows: {
        match: { caseSensitive: ['anywhere', 'glob', 'regex'] },
        recursive: { maxDepth: ['true'] },
      },
    });
    initSearchTest(this);
  },
});
