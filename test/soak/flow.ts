/** The flow of the soak: each kind of call once, and a collector for what comes of the messages. */
import { CLIENT, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import type { DeployedNode } from '../support/node-red/node-red';

const PLACE = { z: 'tab', x: 0, y: 0 };
/** No wait for a turn is longer than that: the soak is about what lasts. */
const REQUESTS_PER_SECOND = 10_000;

const node = (id: string, type: string, more: object = {}): DeployedNode => ({
  ...{ id, type: `cloud-drive-${type}`, ...PLACE, account: 'account', wires: [['out']] },
  ...more,
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
    { id: 'catch', type: 'catch', ...PLACE, scope: null, uncaught: false, wires: [['caught']] },
    { id: 'complete', type: 'complete', ...PLACE, scope, uncaught: false, wires: [['completed']] },
    { id: 'memory', type: 'soak-memory', ...PLACE, wires: [['measured']] },
    ...['out', 'caught', 'completed', 'measured'].map((id) => ({
      ...{ id, type: 'test-output', ...PLACE, wires: [] },
    })),
  ];
}
