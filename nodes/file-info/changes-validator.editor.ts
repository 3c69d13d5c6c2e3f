/** Checks changes of metadata that are typed as JSON. */
import { isObject } from '../shared/contract/values';
import { parseJson } from '../shared/editor/input-checks';
import { sharedText } from '../shared/editor/shared-text';
import { type Validator, currentValue, jsonInput } from '../shared/editor/validators';
import { CHANGEABLE_NAMES, changesProblem } from './changes';

export const changes: Validator = function (value, options) {
  const isJson = ['str', 'json'].includes(currentValue(this, 'changesType'));
  const typed = isJson ? parseJson(String(value)) : undefined;
  const problem = isObject(typed) ? changesProblem(typed) : undefined;
  if (problem === undefined) return jsonInput('changes', '{"description": "…"}').call(this, value, options);
  const { member, type } = problem;
  if (type !== undefined) return sharedText('validation.change_type', { member, type });
  return sharedText('validation.change', { member, names: CHANGEABLE_NAMES });
};
