/** The drive request node in the editor: sends any request of the Drive API. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { jsonInput } from '../shared/editor/validators';
import { DEFAULTS, METHODS_WITH_BODY } from './request.defaults';
import { requestPath } from './request-path.editor';

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
