/** The search files node in the editor: the files inside a folder whose name matches. */
import {
  COLOR,
  inputLabels,
  labelStyle,
  paletteLabel,
  showDefaults,
  written,
} from '../shared/editor/definition';
import { fitLabels } from '../shared/editor/fit-labels';
import { rowsByChoice } from '../shared/editor/dependent-rows';
import { fieldProblems } from '../shared/editor/field-problems';
import { typedField } from '../shared/editor/typed-field';
import {
  fieldList,
  mediaTypePattern,
  numberFrom,
  order,
  searchText,
  time,
  typed,
} from '../shared/editor/validators';
import { searchTest } from './search-test.editor';

RED.nodes.registerType('cloud-drive-search-files', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-search-files.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    folder: { value: 'payload.folderId', validate: typed('folder', 'folder') },
    folderType: { value: 'msg' },
    folderPath: { value: '' },
    text: { value: 'payload.text', validate: searchText },
    textType: { value: 'msg' },
    output: { value: 'array' },
    fields: {
      value: 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents',
      validate: fieldList,
    },
    orderBy: { value: '', validate: order },
    limit: { value: 0, validate: numberFrom(0) },
    match: { value: 'contains' },
    kind: { value: 'files' },
    includeTrashed: { value: false },
    caseSensitive: { value: false },
    recursive: { value: false },
    maxDepth: { value: 0, validate: numberFrom(0) },
    modifiedAfter: { value: '', validate: time },
    modifiedBefore: { value: '', validate: time },
    minSize: { value: '', validate: numberFrom(0) },
    maxSize: { value: '', validate: numberFrom(0) },
    mimeType: { value: '', validate: mediaTypePattern },
    sort: { value: '' },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    const text = written(this, 'text');
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
    showDefaults(this);
    fitLabels('#dialog-form');
    typedField(this, { property: 'folder', onDrive: 'folder' });
    typedField(this, { property: 'text' });
    rowsByChoice('match', { caseSensitive: ['anywhere', 'glob', 'regex'] });
    fieldProblems(this);
    searchTest(this);
  },
});
