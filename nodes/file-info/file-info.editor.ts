/** The file info node in the editor: shows or changes the metadata of a file. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import { currentValue, fieldList, jsonInput, typedInput, type Validator } from '../shared/editor/validators';
import { DEFAULTS } from './file-info.defaults';
import { isObject } from '../shared/contract/values';
import { parseJson } from '../shared/editor/input-checks';
import { CHANGEABLE_NAMES, changesProblem } from './changes';

/** Changes of metadata that are typed as JSON. */
const changes: Validator = function (value, options) {
  const isJson = ['str', 'json'].includes(currentValue(this, 'changesType'));
  const typed = isJson ? parseJson(String(value)) : undefined;
  const problem = isObject(typed) ? changesProblem(typed) : undefined;
  if (problem === undefined) return jsonInput('changes', '{"description": "…"}').call(this, value, options);
  const { member, type } = problem;
  if (type !== undefined) return sharedText('validation.change_type', { member, type });
  return sharedText('validation.change', { member, names: CHANGEABLE_NAMES });
};

registerFlowNode('file-info', DEFAULTS, {
  validators: { file: typedInput('file', 'file'), changes, fields: fieldList },
  label() {
    const name = labelValue(this, 'file');
    return name === '' ? this._('label') : this._('label_name', { name });
  },
  dialog: {
    typedInputs: {
      file: { selectable: 'any', hint: () => sharedText('hint.file') },
      changes: { extraTypes: ['json'], hint: () => '{"description": "…"}' },
    },
  },
});
