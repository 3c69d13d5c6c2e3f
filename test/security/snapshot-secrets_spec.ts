/** Backs up and restores snapshots in a real Node-RED, with and without failures. No text that it leaves has a secret. */
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive/index';
import { CLIENT, customAccount } from '../support/node-red/account';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { DiskRepository } from '../support/snapshots/disk-repository';
import { addRepository, exportFolder } from '../support/snapshots/drive-repository';

const REFRESH = 'canary-refresh-token';
const PASSPHRASE = 'canary-passphrase';
const WRONG = 'canary-of-another-passphrase';

describe('secrets of snapshots', () => {
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let folder: string;
  let repository: string;
  const inFolder = (name: string): string => path.join(folder, name);

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'canary-'));
    for (const name of ['tmp', 'home']) await mkdir(inFolder(name));
    await writeFile(inFolder('home/notes.txt'), 'notes');
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH });
    repository = await drive.files.addFolder('Snapshots');
    await addRepository(drive, repository, PASSPHRASE);
    nodeRed = await startNodeRed({ audit: true, env: { TMPDIR: inFolder('tmp') } });
    await nodeRed.deploy(flow());
  });
  after(async () => {
    await nodeRed.close();
    await drive.close();
    await rm(folder, { recursive: true, force: true });
  });

  function flow(): DeployedNode[] {
    const position = { z: 'tab', x: 0, y: 0 };
    const node = (id: string, passphrase: string, more: object): DeployedNode => ({
      ...{ id, ...position, account: 'account', folder: '/Snapshots', wires: [['out']] },
      ...{ type: `cloud-drive-${id.split('-')[0]}`, credentials: { passphrase }, ...more },
    });
    const backup = { format: 'snapshot', source: inFolder('home'), sourceType: 'str', keepNewest: 1 };
    const target = { localPath: inFolder('restored'), localPathType: 'str', overwrite: 'replace' };
    const restore = { from: 'snapshots', ...target };
    const ids = ['backup', 'restore', 'backup-wrong', 'restore-wrong'];
    const credentials = { clientId: CLIENT.id, clientSecret: CLIENT.secret, refreshToken: REFRESH };
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      { ...customAccount(drive.url), id: 'account', type: 'cloud-drive-account', retryFor: 0, credentials },
      ...[node('backup', PASSPHRASE, backup), node('restore', PASSPHRASE, restore)],
      ...[node('backup-wrong', WRONG, backup), node('restore-wrong', WRONG, restore)],
      { id: 'catch', type: 'catch', ...position, scope: ids, wires: [['out', 'debug']] },
      {
        id: 'debug',
        type: 'debug',
        ...position,
        active: true,
        console: true,
        tosidebar: true,
        complete: 'true',
      },
      { id: 'out', type: 'test-output', ...position, wires: [] },
    ];
  }

  /** @returns the code of the error that each node has, if any */
  async function runAll(): Promise<(string | undefined)[]> {
    const codes: (string | undefined)[] = [];
    for (const id of ['backup', 'restore', 'backup-wrong', 'restore-wrong']) {
      const { length } = await nodeRed.outputs('out', 0);
      nodeRed.receive(id, {});
      const { error } = (await nodeRed.outputs('out', length + 1)).at(-1) as {
        error?: { cause: { code: string } };
      };
      codes.push(error?.cause.code);
    }
    return codes;
  }

  async function textsIn(place: string): Promise<[string, string][]> {
    const entries = await readdir(place, { withFileTypes: true, recursive: true });
    const files = entries
      .filter((each) => each.isFile())
      .map((each) => path.join(each.parentPath ?? each.path, each.name));
    const own = files.filter((file) => !file.includes('node_modules'));
    return Promise.all(
      own.map(async (file) => [file, (await readFile(file)).toString('latin1')] as [string, string]),
    );
  }

  async function secrets(): Promise<string[]> {
    await exportFolder(drive, repository, inFolder('copy'));
    const { key } = await DiskRepository.open(inFolder('copy'), PASSPHRASE);
    await rm(inFolder('copy'), { recursive: true });
    const parts = [key.encrypt, key.macK, key.macR];
    const keys = parts.flatMap((part) =>
      (['hex', 'base64', 'base64url', 'latin1'] as const).map((as) => part.toString(as)),
    );
    return ['ya29.', REFRESH, CLIENT.secret, PASSPHRASE, WRONG, ...keys];
  }

  it('are in no log, status, message, URL or file, with and without failures', async () => {
    (await runAll()).should.eql([undefined, undefined, 'invalid_input', 'invalid_input']);
    const echo = { error: { code: 400, message: `${REFRESH} ya29.canary`, errors: [{ reason: REFRESH }] } };
    for (const [fault, code] of [
      [{ kind: 'reset' }, 'network'],
      [{ kind: 'response', status: 400, body: echo }, undefined],
      [{ kind: 'error', reason: 'authError' }, 'sign_in_required'],
    ] as const) {
      const active = drive.faults.add({ ...fault, match: { path: /\/drive\/v3\// }, times: Infinity });
      for (const found of await runAll())
        should(found)
          .equal(code ?? found)
          .and.be.a.String();
      active.remove();
    }
    const texts = [
      ...Object.entries({
        log: nodeRed.log.join('\n'),
        statuses: JSON.stringify(nodeRed.allStatuses()),
        messages: JSON.stringify(await nodeRed.outputs('out', 0)),
        URLs: drive.requests.all.map(({ path: target, query }) => `${target}?${query}`).join('\n'),
      }),
      ...(await textsIn(nodeRed.userDir)),
      ...(await textsIn(folder)),
    ];
    const hidden = await secrets();
    hidden.should.have.length(17);
    const leaks = texts.flatMap(([place, text]) =>
      hidden.filter((each) => text.includes(each)).map(() => place),
    );
    should(leaks).eql([]);
    texts
      .map(([place]) => place)
      .filter((place) => place.includes('.cloud-drive-snapshots'))
      .should.not.be.empty();
    nodeRed.log.join().should.containEql('"event":"cloud-drive.refresh"');
  });
});
