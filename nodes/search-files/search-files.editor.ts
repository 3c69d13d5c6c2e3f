/** The search-files node in the editor: finds files by name and other properties. */
import { COLOR, inputLabels, labelStyle, paletteLabel, labelValue } from '../shared/editor/definition';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import {
  fieldList,
  mimeTypePattern,
  atLeast,
  orderBy,
  searchText,
  time,
  typedInput,
} from '../shared/editor/validators';
import { initSearchTest } from './search-test.editor';

RED.nodes.registerType('cloud-drive-search-files', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-search-files.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    folder: { value: 'payload.folderId', validate: typedInput('folder', 'folder') },
    folderType: { value: 'msg' },
    folderPath: { value: '' },
    text: { value: 'payload.text', validate: searchText },
    textType: { value: 'msg' },
    output: { value: 'array' },
    fields: {
      value: 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents',
      validate: fieldList,
    },
    orderBy: { value: '', validate: orderBy },
    limit: { value: 0, validate: atLeast(0) },
    match: { value: 'contains' },
    kind: { value: 'files' },
    includeTrashed: { value: false },
    caseSensitive: { value: false },
    recursive: { value: false },
    maxDepth: { value: 0, validate: atLeast(0) },
    modifiedAfter: { value: '', validate: time },
    modifiedBefore: { value: '', validate: time },
    minSize: { value: '', validate: atLeast(0) },
    maxSize: { value: '', validate: atLeast(0) },
    mimeType: { value: '', validate: mimeTypePattern },
    sort: { value: '' },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    const text = labelValue(this, 'text');
    if (this.name) return this.name;
    if (text) return this._('label_text', { text });
    return this._(this.kind === 'folders' ? 'label_folders' : 'label');
  },
  labelStyle,
  inputLabels,
  outputLabels() {
    return this._(this.output === 'each' ? 'output_each' : 'output');
  },
  oneditprepare() {
    prepareDialog(this, {
      typedInputs: { folder: { selectable: 'folder' }, text: {} },
      rows: { match: { caseSensitive: ['anywhere', 'glob', 'regex'] } },
    });
    initSearchTest(this);
  },
});
