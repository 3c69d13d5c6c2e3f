/**
 * Canaries in every place that is secret, and a service that fails in every way and throws them back: afterwards
 * nothing that anybody can see may hold one.
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
/** Larger than a multipart upload may be, so that there is a session. */
const LARGE = 5_100_000;

/** What may be seen nowhere: secrets of the account, tokens that the drive gives, sessions, contents. */
const CANARIES =
  /canary-client-secret|canary-refresh-token|canary-content|canary-body|ya29\.|1\/\/\w|upload_id=|AH-1Ng/;

/** Ids of the nodes that a message comes into: the watch tells its errors elsewhere. */
const ACTING = [
  ...['about', 'list-folders', 'search-files', 'create-folder', 'delete', 'move', 'copy', 'prune'],
  ...['download', 'upload', 'upload-large'],
];

/** An answer that holds everything it was asked with. */
const TELLTALE = {
  error: { code: 400, message: `canary-body ${REFRESH} ya29.canary`, errors: [{ reason: REFRESH }] },
};

const FAULTS: Record<string, Fault> = {
  'an error that repeats secrets': { kind: 'response', status: 400, body: TELLTALE },
  'a page of a proxy': { kind: 'response', status: 502, body: `<html>canary-body ${REFRESH}</html>` },
  'no JSON': { kind: 'response', status: 200, body: 'canary-body' },
  'wrong types': {
    kind: 'response',
    status: 200,
    body: { id: 5, files: 'canary-body', user: 'canary-body' },
  },
  'a reset': { kind: 'reset' },
  'a body that breaks': { kind: 'resetResponse', bytes: 10 },
  'a redirect': { kind: 'redirect', location: `http://127.0.0.1:1/?canary-body=${REFRESH}` },
  'no right': { kind: 'error', reason: 'insufficientFilePermissions' },
  'a full drive': { kind: 'error', reason: 'storageQuotaExceeded' },
  'a dead token': { kind: 'error', reason: 'authError' },
};

describe('secrets', function () {
  this.timeout(120_000);
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
    admin = new AdminCalls((where, init) => nodeRed.request(where, init));
    await nodeRed.deploy(flow());
  });
  after(async () => {
    await nodeRed.close();
    await drive.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Every node once, and all that it says on its ways out. @param deploys of the watch, which looks anew with each */
  function flow(deploys = 0): DeployedNode[] {
    const place = { z: 'tab', x: 0, y: 0 };
    const node = (id: string, more: Record<string, unknown> = {}): DeployedNode => ({
      ...{ id, type: `cloud-drive-${id}`, ...place, account: 'account', wires: [['out']] },
      ...more,
    });
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      {
        ...{ id: 'account', type: 'cloud-drive-account', ...customAccount(drive.url), retryFor: 0 },
        // With the deploys to come it goes on with the tokens that it has by then.
        ...(deploys > 0 ? {} : { credentials: CREDENTIALS }),
      },
      node('about'),
      node('list-folders'),
      node('search-files', { folderType: 'str', folder: '' }),
      node('create-folder'),
      node('delete'),
      node('move', { folderType: 'str', folder: '', targetName: 'moved.txt', targetNameType: 'str' }),
      node('copy', { type: 'cloud-drive-move', action: 'copy' }),
      node('prune', { pattern: 'nothing', keepNewest: 1 }),
      node('download', { output: 'file', filename: `${folder}/`, filenameType: 'str' }),
      // The content comes from the environment: what is in the message is the flow's own to show.
      node('upload', { data: 'CANARY_CONTENT', dataType: 'env' }),
      node('upload-large', {
        ...{ type: 'cloud-drive-upload', source: 'file', filenameType: 'str', progress: true, outputs: 2 },
        ...{ filename: path.join(folder, 'large.bin'), ifExists: 'replace', wires: [['out'], ['out']] },
      }),
      node('watch', { name: `deployed ${deploys} times`, interval: 3_600, wires: [['watched']] }),
      { id: 'catch-watch', type: 'catch', ...place, scope: ['watch'], wires: [['watched', 'debug']] },
      { id: 'watched', type: 'test-output', ...place, wires: [] },
      { id: 'catch', type: 'catch', ...place, scope: ACTING, wires: [['caught', 'debug']] },
      { id: 'out', type: 'test-output', ...place, wires: [] },
      { id: 'caught', type: 'test-output', ...place, wires: [] },
      {
        ...{ id: 'debug', type: 'debug', ...place, active: true, console: true, tosidebar: true },
        complete: 'error',
      },
    ];
  }

  let deploys = 0;
  /** Lets the watch look, and waits until it has told something, if only an error. */
  async function watch(): Promise<void> {
    const before = (await nodeRed.outputs('watched', 0)).length;
    await nodeRed.deploy(flow(++deploys), 'nodes');
    while ((await nodeRed.outputs('watched', 0)).length === before) await nodeRed.nextOutput();
  }

  const messages = async (): Promise<number> =>
    (await nodeRed.outputs('out', 0)).length + (await nodeRed.outputs('caught', 0)).length;

  /** Sends one message into a node and waits until something came of it. */
  async function run(id: string, payload: unknown, extra: Record<string, unknown> = {}): Promise<void> {
    const before = await messages();
    nodeRed.receive(id, { payload, ...extra });
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
    await run('move', fileId);
    await run('copy', fileId);
    await run('prune', '');
    await run('delete', fileId);
  }

  /** Everything that somebody could look at, by the place where it is. */
  async function places(): Promise<Record<string, string>> {
    await admin.view('account');
    const files: Record<string, string> = {};
    for (const name of await readdir(nodeRed.userDir)) {
      if (name !== 'node_modules' && name !== 'lib')
        files[name] = await textOf(path.join(nodeRed.userDir, name));
    }
    const get = async (where: string): Promise<string> => (await nodeRed.request(where)).text();
    return {
      ...files,
      'the log': nodeRed.log.join('\n'),
      'the states': JSON.stringify(nodeRed.allStatuses()),
      Catch: JSON.stringify((await nodeRed.outputs('caught', 0)).map((msg) => ({ ...msg, payload: '' }))),
      'the outputs': JSON.stringify(await nodeRed.outputs('out', 0)),
      'what the watch tells': JSON.stringify(await nodeRed.outputs('watched', 0)),
      'GET /flows': await get('/flows'),
      'GET /credentials': await get('/credentials/cloud-drive-account/account'),
      'the admin API': admin.answers.join('\n'),
    };
  }

  it('are nowhere to be seen, whatever the service answers', async () => {
    const seen: string[] = [];
    for (const fault of [undefined, ...Object.values(FAULTS)]) {
      const fileId = await drive.files.add({ name: 'a file.txt', content: CONTENT });
      const set = fault && drive.faults.add({ ...fault, match: { path: /\/drive\/v3\// }, times: 1_000 });
      await runAll(fileId);
      await watch();
      set?.remove();
    }
    // Messages with the wrong things in them, so that errors tell of what came. (A path is told: it is a name.)
    for (const wrong of [{ token: REFRESH }, [CONTENT, CONTENT], `https://x/${REFRESH}`, `${CONTENT}/`]) {
      for (const id of ['list-folders', 'download', 'move', 'prune', 'delete']) await run(id, wrong);
    }
    drive.faults.add({ kind: 'oauthError', error: 'invalid_grant', description: `canary-body ${REFRESH}` });
    drive.expireAccessTokens();
    await run('about', '');
    for (const [place, text] of Object.entries(await places())) {
      const found = CANARIES.exec(text);
      if (found) seen.push(`${place}: ${text.slice(Math.max(0, found.index - 60), found.index + 40)}`);
    }
    should(seen).eql([]);
    // The campaign has really met what it was for.
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
    const told = watched.map(({ error }) => (error as { cause: { code: string } } | undefined)?.cause.code);
    for (const code of ['bad_response', 'network', 'permission_denied']) should(told).containEql(code);
  });
});

async function textOf(file: string): Promise<string> {
  return (await readFile(file)).toString('latin1');
}
