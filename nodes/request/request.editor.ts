/** The drive request node in the editor: sends any request of the Drive API. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { currentValue, jsonInput, typedInput, type Validator } from '../shared/editor/validators';
import { DEFAULTS, METHODS_WITH_BODY } from './request.defaults';
import { isReference } from '../shared/contract/values';
import { sharedText } from '../shared/editor/shared-text';

/** The client checks the path completely. */
const PATH = /^\/?(?!drive\/)(?!\.{1,2}(?:\/|$))[^/:?#\\\s]+(?:\/(?!\.{1,2}(?:\/|$))[^/?#\\\s]+)*$/;

const requestPath: Validator = function (value, options) {
  const path = String(value);
  const isLiteral = currentValue(this, 'pathType') === 'str' && !isReference(path);
  if (isLiteral && !PATH.test(path)) return sharedText('validation.api_path');
  return typedInput('path', 'anything').call(this, value, options);
};

registerFlowNode('request', DEFAULTS, {
  validators: {
    path: requestPath,
    query: jsonInput('query', '{"fields": "*"}'),
    body: jsonInput('body', '{"name": "…"}'),
  },
  label() {
    const path = labelValue(this, 'path');
    return path === '' ? this._('label') : `${this.method} ${path}`;
  },
  dialog: {
    typedInputs: {
      path: { hint: () => 'files/ID/revisions' },
      query: { extraTypes: ['json'], hint: () => '{"fields": "*"}' },
      body: { extraTypes: ['json'], hint: () => '{"name": "…"}' },
    },
    rows: { method: { body: METHODS_WITH_BODY, pages: ['GET'], repeatable: ['POST'] } },
  },
});
