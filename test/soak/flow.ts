/** The flow of the soak test: a node for each operation, and collectors for their messages. */
import { CLIENT, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import type { DeployedNode } from '../support/node-red/node-red';

const POSITION = { z: 'tab', x: 0, y: 0 };
/** High enough to disable rate limiting. */
const REQUESTS_PER_SECOND = 10_000;

const node = (id: string, type: string, properties: object = {}): DeployedNode => ({
  ...{ id, type: `cloud-drive-${type}`, ...POSITION, account: 'account', wires: [['out']] },
  ...properties,
});

const NODES: DeployedNode[] = [
  node('about', 'about'),
  node('list', 'list-folders'),
  node('search', 'search-files'),
  node('upload', 'upload'),
  node('download', 'download'),
  node('delete', 'delete'),
];

/** @param url the local drive's */
export function soakFlow(url: string): DeployedNode[] {
  const scope = NODES.map(({ id }) => id);
  return [
    { id: 'tab', type: 'tab', label: 'soak' },
    {
      ...{ id: 'account', type: 'cloud-drive-account', ...customAccount(url) },
      requestsPerSecond: REQUESTS_PER_SECOND,
      credentials: { clientId: CLIENT.id, clientSecret: CLIENT.secret, refreshToken: REFRESH_TOKEN },
    },
    ...NODES,
    { id: 'catch', type: 'catch', ...POSITION, scope: null, uncaught: false, wires: [['caught']] },
    { id: 'complete', type: 'complete', ...POSITION, scope, uncaught: false, wires: [['completed']] },
    { id: 'memory', type: 'soak-memory', ...POSITION, wires: [['measured']] },
    ...['out', 'caught', 'completed', 'measured'].map((id) => ({
      ...{ id, type: 'test-output', ...POSITION, wires: [] },
    })),
  ];
}
