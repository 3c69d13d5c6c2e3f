/** A real Node-RED with the built package, whose nodes send small requests continuously. */
import path from 'node:path';
import type { Sample } from '../harness/case';
import { ALL_CORE_NODES, type DeployedNode, startNodeRed } from '../../test/support/node-red/node-red';

export interface LoadedNodeRed {
  run(node: 'about' | 'list-folders', load: Load): Promise<Sample>;
  close(): Promise<void>;
}

export interface Load {
  calls: number;
  inFlight: number;
  /** The message of each call. */
  given: Record<string, unknown>;
}

/** @param drive URL of the service */
export async function loadedNodeRed(drive: string): Promise<LoadedNodeRed> {
  const nodesDir = [
    path.join(__dirname, '../nodes'),
    path.join(__dirname, '../../test/support/node-red/nodes'),
  ];
  const nodeRed = await startNodeRed({
    settings: { ...ALL_CORE_NODES, nodesDir },
    env: { REPORT_STATUS: 'no' },
    flow: [],
  });
  await nodeRed.deploy(flow(drive));
  let count = 0;
  return {
    run: async (node, load) => {
      nodeRed.receive(`load-${node}`, { ...load });
      const message = (await nodeRed.outputs('out', ++count)).at(-1) as {
        measured?: Sample;
        error?: unknown;
      };
      if (!message.measured) throw new Error(`Node-RED: ${JSON.stringify(message.error)}`);
      return message.measured;
    },
    close: () => nodeRed.close(),
  };
}

function flow(drive: string): DeployedNode[] {
  const position = { z: 'tab', x: 0, y: 0 };
  const node = (name: string): DeployedNode[] => [
    { ...position, id: `load-${name}`, type: 'bench-load', wires: [[name], ['out']] },
    { ...position, id: name, type: `cloud-drive-${name}`, account: 'account', wires: [[`load-${name}`]] },
  ];
  return [
    { id: 'tab', type: 'tab', label: 'bench' },
    {
      id: 'account',
      type: 'cloud-drive-account',
      service: 'custom',
      baseUrl: drive,
      tokenUrl: `${drive}/token`,
      scope: 'drive',
      retryFor: 0,
      requestsPerSecond: 1_000_000_000,
      folderMimeType: 'application/vnd.google-apps.folder',
      credentials: { clientId: 'bench', clientSecret: 'bench', accessToken: 'bench' },
    },
    ...node('about'),
    ...node('list-folders'),
    { ...position, id: 'failed', type: 'catch', scope: null, wires: [['out']] },
    { ...position, id: 'out', type: 'test-output', wires: [] },
  ];
}
