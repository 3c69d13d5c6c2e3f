/** The about node in the editor: the user and the storage quota of an account. */
import {
  COLOR,
  inputLabels,
  label,
  labelStyle,
  outputLabels,
  paletteLabel,
  preselectAccount,
} from '../shared/editor/definition';
import { editorDefaults } from '../shared/editor/editor-defaults';
import { prepareDialog } from '../shared/editor/prepare-dialog';
import { fieldList } from '../shared/editor/validators';
import { DEFAULTS } from './about.defaults';

RED.nodes.registerType('cloud-drive-about', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-about.svg',
  defaults: editorDefaults(DEFAULTS, {
    fields: fieldList,
  }),
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label,
  labelStyle,
  inputLabels,
  outputLabels,
  onadd: preselectAccount,
  oneditprepare() {
    prepareDialog(this);
  },
});
