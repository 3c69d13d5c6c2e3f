/** Checks the path of a request as far as that is possible before a message arrives. */
import { isReference } from '../shared/contract/values';
import { sharedText } from '../shared/editor/shared-text';
import { type Validator, currentValue, typedInput } from '../shared/editor/validators';

/** The client checks the path completely. */
const PATH = /^\/?(?!drive\/)(?!\.{1,2}(?:\/|$))[^/:?#\\\s]+(?:\/(?!\.{1,2}(?:\/|$))[^/?#\\\s]+)*$/;

export const requestPath: Validator = function (value, options) {
  const path = String(value);
  const isLiteral = currentValue(this, 'pathType') === 'str' && !isReference(path);
  if (isLiteral && !PATH.test(path)) return sharedText('validation.api_path');
  return typedInput('path', 'anything').call(this, value, options);
};
