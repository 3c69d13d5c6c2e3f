/**
 * Uses canaries as secrets and makes the service fail and echo them. No file, log, message or response may then
 * contain one.
 */
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { type Fault, type LocalDrive, startLocalDrive } from '../local-drive/index';
import { CLIENT, customAccount } from '../support/node-red/account';
import { AdminCalls } from '../support/node-red/account-admin';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';

const REFRESH = 'canary-refresh-token';
const CREDENTIALS = { clientId: CLIENT.id, clientSecret: CLIENT.secret, refreshToken: REFRESH };
const CONTENT = 'canary-content ';
/** Exceeds the multipart limit, so that a resumable upload is used. */
const LARGE = 5_100_000;

/** Of the backup and restore nodes; a private key never reaches a node that only encrypts. */
const PASSPHRASE = 'canary-passphrase';
const IDENTITY = 'AGE-SECRET-KEY-1CANARY';

/** Account secrets, secrets of nodes, issued tokens, upload sessions and file contents, which must not be visible. */
const CANARIES =
  /canary-passphrase|AGE-SECRET-KEY-1CANARY|canary-client-secret|canary-refresh-token|canary-content|canary-body|ya29\.|1\/\/\w|upload_id=|AH-1Ng/;

/** Ids of the nodes with an input. Errors of the watch node are caught separately. */
const INPUT_NODES = [
  ...['about', 'list-folders', 'search-files', 'create-folder', 'delete', 'move', 'copy', 'prune'],
  ...[
    'download',
    'upload',
    'upload-large',
    'backup',
    'restore',
    'restore-key',
    'request',
    'file-info',
    'share',
  ],
];

/** A response that echoes secrets. */
const ECHO_BODY = {
  error: { code: 400, message: `canary-body ${REFRESH} ya29.canary`, errors: [{ reason: REFRESH }] },
};

const FAULTS: Record<string, Fault> = {
  'an error that echoes secrets': { kind: 'response', status: 400, body: ECHO_BODY },
  'a proxy page': { kind: 'response', status: 502, body: `<html>canary-body ${REFRESH}</html>` },
  'invalid JSON': { kind: 'response', status: 200, body: 'canary-body' },
  'wrong types': {
    kind: 'response',
    status: 200,
    body: { id: 5, files: 'canary-body', user: 'canary-body' },
  },
  'a connection reset': { kind: 'reset' },
  'a truncated body': { kind: 'resetResponse', bytes: 10 },
  'a redirect': { kind: 'redirect', location: `http://127.0.0.1:1/?canary-body=${REFRESH}` },
  'insufficient permissions': { kind: 'error', reason: 'insufficientFilePermissions' },
  'a full drive': { kind: 'error', reason: 'storageQuotaExceeded' },
  'a revoked token': { kind: 'error', reason: 'authError' },
};

describe('secrets', () => {
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let admin: AdminCalls;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'canary-'));
    await writeFile(path.join(folder, 'large.bin'), Buffer.alloc(LARGE, CONTENT));
    drive = await startLocalDrive({
      clients: [{ ...CLIENT }],
      refreshToken: REFRESH,
      rotateRefreshTokens: true,
    });
    nodeRed = await startNodeRed({
      settings: { logging: { console: { level: 'trace' } } },
      env: { CANARY_CONTENT: CONTENT },
    });
    admin = new AdminCalls((path, init) => nodeRed.request(path, init));
    await nodeRed.deploy(flow());
  });
  after(async () => {
    await nodeRed.close();
    await drive.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A flow with every node and its outputs. @param deploys number of deploys, each of which makes the watch node poll */
  function flow(deploys = 0): DeployedNode[] {
    const position = { z: 'tab', x: 0, y: 0 };
    const node = (id: string, more: Record<string, unknown> = {}): DeployedNode => ({
      ...{ id, type: `cloud-drive-${id}`, ...position, account: 'account', wires: [['out']] },
      ...more,
    });
    // Later deploys keep the secrets.
    const secrets = (credentials: object): object => (deploys > 0 ? {} : { credentials });
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      {
        ...{ id: 'account', type: 'cloud-drive-account', ...customAccount(drive.url), retryFor: 0 },
        // Later deploys keep the tokens that the account has by then.
        ...(deploys > 0 ? {} : { credentials: CREDENTIALS }),
      },
      node('about'),
      node('list-folders'),
      node('search-files', { folderType: 'str', folder: '' }),
      node('create-folder'),
      node('delete'),
      node('move', { folderType: 'str', folder: '', targetName: 'moved.txt', targetNameType: 'str' }),
      node('copy', { type: 'cloud-drive-move', action: 'copy' }),
      node('share'),
      node('file-info', { changes: '{"description":"x"}' }),
      node('request', { path: '"files/" & payload', pathType: 'jsonata', wires: [['responses']] }),
      node('prune', { pattern: 'nothing', keepNewest: 1 }),
      node('download', { output: 'file', filename: `${folder}/`, filenameType: 'str' }),
      // The content comes from the environment, because message content may be shown by the flow.
      node('upload', { data: 'CANARY_CONTENT', dataType: 'env' }),
      node('upload-large', {
        ...{ type: 'cloud-drive-upload', source: 'file', filenameType: 'str', progress: true, outputs: 2 },
        ...{ filename: path.join(folder, 'large.bin'), ifExists: 'replace', wires: [['out'], ['out']] },
      }),
      node('backup', {
        ...{
          source: path.join(folder, 'large.bin'),
          sourceType: 'str',
          encryption: 'passphrase',
          keepNewest: 1,
        },
        ...secrets({ passphrase: PASSPHRASE }),
      }),
      node('restore', {
        ...{ localPath: path.join(folder, 'restored'), localPathType: 'str', overwrite: 'replace' },
        ...secrets({ passphrase: PASSPHRASE }),
      }),
      node('restore-key', {
        ...{ type: 'cloud-drive-restore', localPath: path.join(folder, 'other'), localPathType: 'str' },
        ...secrets({ identity: IDENTITY }),
      }),
      node('watch', { name: `deployed ${deploys} times`, interval: 3_600, wires: [['watched']] }),
      { id: 'catch-watch', type: 'catch', ...position, scope: ['watch'], wires: [['watched', 'debug']] },
      { id: 'watched', type: 'test-output', ...position, wires: [] },
      { id: 'catch', type: 'catch', ...position, scope: INPUT_NODES, wires: [['caught', 'debug']] },
      { id: 'out', type: 'test-output', ...position, wires: [] },
      // The request node passes each response to the flow as it is.
      { id: 'responses', type: 'test-output', ...position, wires: [] },
      { id: 'caught', type: 'test-output', ...position, wires: [] },
      {
        ...{ id: 'debug', type: 'debug', ...position, active: true, console: true, tosidebar: true },
        complete: 'error',
      },
    ];
  }

  let deploys = 0;
  /** Makes the watch node poll and waits for a message or an error. */
  async function pollWatch(): Promise<void> {
    const before = (await nodeRed.outputs('watched', 0)).length;
    await nodeRed.deploy(flow(++deploys), 'nodes');
    while ((await nodeRed.outputs('watched', 0)).length === before) await nodeRed.nextOutput();
  }

  const messages = async (): Promise<number> => {
    const outputs = await Promise.all(['out', 'responses', 'caught'].map((id) => nodeRed.outputs(id, 0)));
    return outputs.flat().length;
  };

  /** Sends one message to a node and waits for its result. */
  async function run(id: string, payload: unknown, properties: Record<string, unknown> = {}): Promise<void> {
    const before = await messages();
    nodeRed.receive(id, { payload, ...properties });
    while ((await messages()) === before) await nodeRed.nextOutput();
  }

  async function runAll(fileId: string): Promise<void> {
    await run('about', '');
    await run('list-folders', '');
    await run('search-files', 'canary');
    await run('create-folder', 'folder');
    await run('download', fileId);
    await run('upload', '', { filename: 'small.txt' });
    await run('upload-large', '');
    await run('backup', '');
    await run('restore', '');
    await run('restore-key', '');
    await run('move', fileId);
    await run('copy', fileId);
    await run('request', fileId);
    await run('file-info', fileId);
    await run('share', fileId);
    await run('prune', '');
    await run('delete', fileId);
  }

  /** All visible text, by its source. */
  async function visibleTexts(): Promise<Record<string, string>> {
    await admin.status('account');
    const files: Record<string, string> = {};
    for (const name of await readdir(nodeRed.userDir)) {
      if (name !== 'node_modules' && name !== 'lib')
        files[name] = await textOf(path.join(nodeRed.userDir, name));
    }
    const get = async (path: string): Promise<string> => (await nodeRed.request(path)).text();
    return {
      ...files,
      'the log': nodeRed.log.join('\n'),
      'the states': JSON.stringify(nodeRed.allStatuses()),
      Catch: JSON.stringify((await nodeRed.outputs('caught', 0)).map((msg) => ({ ...msg, payload: '' }))),
      'the outputs': JSON.stringify(await nodeRed.outputs('out', 0)),
      'the watch node': JSON.stringify(await nodeRed.outputs('watched', 0)),
      'GET /flows': await get('/flows'),
      'GET /credentials': await get('/credentials/cloud-drive-account/account'),
      'GET /credentials of backup': await get('/credentials/cloud-drive-backup/backup'),
      'GET /credentials of restore': await get('/credentials/cloud-drive-restore/restore'),
      'GET /credentials of restore-key': await get('/credentials/cloud-drive-restore/restore-key'),
      'the admin API': admin.responses.join('\n'),
    };
  }

  it('secrets are not visible in files, logs, messages or responses', async () => {
    const leaks: string[] = [];
    for (const fault of [undefined, ...Object.values(FAULTS)]) {
      const fileId = await drive.files.add({ name: 'a file.txt', content: CONTENT });
      const active = fault && drive.faults.add({ ...fault, match: { path: /\/drive\/v3\// }, times: 1_000 });
      await runAll(fileId);
      await pollWatch();
      active?.remove();
    }
    // Invalid input, whose errors describe the value. (A path may be shown.)
    const notIds = ['ya29.canary', '1//canary', `https://x/${REFRESH}`, `${CONTENT}/`];
    for (const wrong of [{ token: REFRESH }, [CONTENT, CONTENT], ...notIds]) {
      for (const id of [
        'list-folders',
        'download',
        'move',
        'prune',
        'request',
        'file-info',
        'share',
        'delete',
      ])
        await run(id, wrong);
    }
    drive.faults.add({ kind: 'oauthError', error: 'invalid_grant', description: `canary-body ${REFRESH}` });
    drive.expireAccessTokens();
    await run('about', '');
    for (const [source, text] of Object.entries(await visibleTexts())) {
      const found = CANARIES.exec(text);
      if (found) leaks.push(`${source}: ${text.slice(Math.max(0, found.index - 60), found.index + 40)}`);
    }
    should(leaks).eql([]);
    // The faults had the intended effects.
    const codes = new Set(
      (await nodeRed.outputs('caught', 0)).map(
        ({ error }) => (error as { cause: { code: string } }).cause.code,
      ),
    );
    for (const code of ['bad_response', 'network', 'permission_denied', 'quota_exceeded', 'invalid_input']) {
      should([...codes]).containEql(code);
    }
    should(drive.requests.to('PUT').length).be.above(0);
    const watched = await nodeRed.outputs('watched', 0);
    should(watched.some(({ event }) => event === 'created')).equal(true);
    const watchCodes = watched.map(
      ({ error }) => (error as { cause: { code: string } } | undefined)?.cause.code,
    );
    for (const code of ['bad_response', 'network', 'permission_denied']) should(watchCodes).containEql(code);
  });
});

async function textOf(file: string): Promise<string> {
  return (await readFile(file)).toString('latin1');
}
