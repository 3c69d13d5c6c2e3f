/** The about node in the editor: user and storage quota. */
import {
  COLOR,
  inputLabels,
  label,
  labelStyle,
  outputLabels,
  paletteLabel,
  showDefaults,
} from '../shared/editor/definition';
import { fitLabels } from '../shared/editor/fit-labels';
import { fieldProblems } from '../shared/editor/field-problems';
import { fieldList } from '../shared/editor/validators';

RED.nodes.registerType('cloud-drive-about', {
  category: 'cloud drive',
  color: COLOR,
  icon: 'cloud-drive-about.svg',
  defaults: {
    name: { value: '' },
    account: { value: '', type: 'cloud-drive-account', required: true },
    fields: { value: 'user,storageQuota', validate: fieldList },
  },
  inputs: 1,
  outputs: 1,
  paletteLabel,
  label,
  labelStyle,
  inputLabels,
  outputLabels,
  oneditprepare() {
    showDefaults(this);
    fitLabels('#dialog-form');
    fieldProblems(this);
  },
});
