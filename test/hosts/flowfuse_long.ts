/** Node-RED as FlowFuse runs it: settings from its environment variables, and a new container on each start. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NodeMessage } from 'node-red';
import should from 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { redirectedPresetEnv } from '../support/node-red/account';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';

describe('Node-RED as FlowFuse runs it', () => {
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let source: string;
  let env: Record<string, string>;

  before(async () => {
    drive = await startLocalDrive();
    const driveId = await drive.files.addSharedDrive('Backups');
    const key = drive.addServiceAccount();
    await drive.files.share(driveId, key.client_email, 'writer');
    source = await mkdtemp(path.join(tmpdir(), 'flowfuse-'));
    await writeFile(path.join(source, 'a.txt'), 'a');
    const account = { auth: 'service-account', serviceAccountKey: key, driveId };
    env = {
      ...redirectedPresetEnv(drive.url),
      FF_INSTANCE_NAME: 'plant-7',
      CLOUD_DRIVE_ACCOUNT: JSON.stringify(account),
    };
  });
  afterEach(() => nodeRed.close());
  after(async () => {
    await drive.close();
    await rm(source, { recursive: true });
  });

  const flow = (): DeployedNode[] => {
    const at = { z: 'tab', x: 100, y: 100 };
    const folder = { folder: '/Backups/${FF_INSTANCE_NAME}', folderType: 'env' };
    const targetName = { targetName: '${FF_INSTANCE_NAME}-{number}', targetNameType: 'env' };
    const account = { account: 'account', filename: source, filenameType: 'str' };
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      { id: 'account', type: 'cloud-drive-account' },
      {
        ...at,
        id: 'backup',
        type: 'cloud-drive-backup',
        ...account,
        ...folder,
        ...targetName,
        wires: [['out']],
      },
      { ...at, id: 'catch', type: 'catch', scope: null, wires: [['out']] },
      { ...at, id: 'out', type: 'test-output', wires: [] },
    ];
  };
  const backup = async (): Promise<string> => {
    nodeRed.receive('backup', { filename: source });
    const [msg] = (await nodeRed.outputs('out')) as (NodeMessage & { error?: Error })[];
    if (msg?.error) throw new Error(msg.error.message);
    return (msg?.payload as { name: string }).name;
  };

  it('backups are named after the instance, and continue with the next number in a new container', async () => {
    nodeRed = await startNodeRed({ env, flow: flow() });
    should(await backup()).equal('plant-7-0001.tar.gz');
    await nodeRed.close();
    nodeRed = await startNodeRed({ env, flow: flow() });
    should(await backup()).equal('plant-7-0002.tar.gz');
    should(nodeRed.warnings.filter((line) => line.includes('[cloud drive]'))).eql([]);
  });
});
