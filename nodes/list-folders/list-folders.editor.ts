/** The list-folders node in the editor: the folders in a folder. */
import {
  COLOR,
  inputLabels,
  labelStyle,
  paletteLabel,
  labelValue,
  preselectAccount,
} from '../shared/editor/definition';
import { editorDefaults } from '../shared/editor/editor-defaults';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { sharedText } from '../shared/editor/shared-text';
import { fieldList, atLeast, orderBy, typedInput } from '../shared/editor/validators';
import { DEFAULTS } from './list-folders.defaults';

RED.nodes.registerType('cloud-drive-list-folders', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-list-folders.svg',
  defaults: editorDefaults(DEFAULTS, {
    folder: typedInput('folder', 'folder'),
    fields: fieldList,
    orderBy,
    limit: atLeast(0),
  }),
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label() {
    const folder = labelValue(this, 'folder');
    return this.name || (folder ? this._('label_in', { folder }) : this._('label'));
  },
  labelStyle,
  inputLabels,
  outputLabels() {
    return this._(this.output === 'each' ? 'output_each' : 'output');
  },
  onadd: preselectAccount,
  oneditprepare() {
    prepareDialog(this, {
      typedInputs: { folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') } },
    });
  },
});
