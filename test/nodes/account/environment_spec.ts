/** A new Node-RED that is configured by one environment variable, without a click: docs/service-accounts.md. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { type LocalDrive, startLocalDrive } from '../../local-drive';
import { redirectedPresetEnv } from '../../support/node-red/account';
import { type DeployedNode, type NodeRed, startNodeRed } from '../../support/node-red/node-red';

const EXAMPLE = path.join(__dirname, '../../../examples/nightly-backup.json');
const BACKUP = 'cloud-drive-backup';

describe('a new Node-RED with CLOUD_DRIVE_ACCOUNT', () => {
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let source: string;
  let driveId: string;
  let privateKey: string;

  before(async () => {
    drive = await startLocalDrive();
    const key = drive.addServiceAccount();
    privateKey = key.private_key;
    driveId = await drive.files.addSharedDrive('Backups');
    await drive.files.share(driveId, key.client_email, 'fileOrganizer');
    source = await mkdtemp(path.join(tmpdir(), 'documents-'));
    await writeFile(path.join(source, 'a.txt'), 'text');
    const account = { auth: 'service-account', serviceAccountKey: key, driveId };
    nodeRed = await startNodeRed({
      flow: await exampleFlow(),
      // So that the test can read the credentials file.
      settings: { credentialSecret: false },
      env: {
        ...redirectedPresetEnv(drive.url),
        MACHINE: 'machine-7',
        CLOUD_DRIVE_ACCOUNT: JSON.stringify(account),
      },
    });
  });
  after(async () => {
    await nodeRed?.close();
    await drive.close();
    await chmod(source, 0o700);
    await rm(source, { recursive: true, force: true });
  });

  /** The example, with the folder to back up, which is backed up at the start too, and an output after the backup. */
  async function exampleFlow(): Promise<DeployedNode[]> {
    const flow = JSON.parse(await readFile(EXAMPLE, 'utf8')) as DeployedNode[];
    const backup = flow.find(({ type }) => type === BACKUP);
    const tab = flow.find(({ type }) => type === 'tab');
    return [
      ...flow.map((node) => {
        if (node.type === 'inject')
          return { ...node, once: true, props: [{ p: 'filename', v: source, vt: 'str' }] };
        return node === backup ? { ...node, wires: [['out']] } : node;
      }),
      { id: 'out', type: 'test-output', z: String(tab?.id), x: 800, y: 40, wires: [] },
    ];
  }

  it('the nightly backup example runs without a click', async () => {
    const [msg] = await nodeRed.outputs('out');
    const file = msg?.payload as { id: string; name: string };
    should(drive.files.find(file.id)?.name).equal(file.name);
    file.name.should.match(/^documents-.*\.tar\.gz$/);
  });

  it('a machine backs up to the folder that an environment variable names', async () => {
    const folder = { folder: '/Backups/${MACHINE}', folderType: 'env' };
    const flow = await exampleFlow();
    await nodeRed.deploy(flow.map((node) => (node.type === BACKUP ? { ...node, ...folder } : node)));
    const [, msg] = await nodeRed.outputs('out', 2);
    const { parent = '' } = drive.files.find((msg?.payload as { id: string }).id) ?? {};
    should(drive.files.find(parent)?.name).equal('machine-7');
  });

  it('the variable is neither in the flows nor in the credentials or the log, even after a deploy', async () => {
    const flow = (await (await nodeRed.request('/flows')).json()) as DeployedNode[];
    // A credential of another node, so that there is a credentials file.
    const other = { id: 'other', type: 'cloud-drive-account', credentials: { clientSecret: 'of another' } };
    await nodeRed.deploy([...flow, other]);
    const [flows, credentials] = [await nodeRed.file('flows.json'), await nodeRed.file('flows_cred.json')];
    credentials.should.containEql('of another');
    const secret = (privateKey.split('\n')[3] ?? '').slice(0, 40);
    for (const text of [flows, credentials, nodeRed.log.join('\n')])
      text.should.not
        .containEql('service-account')
        .and.not.containEql('private_key')
        .and.not.containEql(driveId)
        .and.not.containEql(secret);
  });
});
