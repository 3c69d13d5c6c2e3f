/**
 * drive request: sends any request of the Drive API with the account's access token.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3
 */
import type { NodeAPI } from 'node-red';
import { flowNode } from '../shared/runtime/flow-node';
import { DEFAULTS, METHODS, METHODS_WITH_BODY, type RequestConfig } from './request.defaults';

export default (RED: NodeAPI): void =>
  flowNode<RequestConfig>(RED, {
    type: 'cloud-drive-request',
    defaults: DEFAULTS,
    async run({ client, inputs, msg, call, send, results }) {
      const method = inputs.oneOf('method', METHODS);
      const hasBody = METHODS_WITH_BODY.some((each) => each === method);
      const { status, body } = await client.request(
        {
          method,
          path: await inputs.apiPath('path'),
          query: (await inputs.object('query')) ?? {},
          body: hasBody ? await inputs.objectOrArray('body') : undefined,
          pages: method === 'GET' && inputs.flag('pages'),
          repeatable: inputs.flag('repeatable'),
        },
        call,
      );
      msg.payload = body;
      msg['statusCode'] = status;
      send(msg);
      return Array.isArray(body) ? { text: results.count(body.length, 'items') } : {};
    },
  });
