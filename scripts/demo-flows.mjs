/** The demo's flows: every example with an account at the local drive, and an HTTP endpoint for the backup. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const ACCOUNT = 'demo-account';
const NEW_ACCOUNT = 'demo-account-new';
const DEMO_TAB = 'demo-tab';
/** Of the demo's snapshots: a repository requires 8 characters. */
const PASSPHRASE = 'demo passphrase';

/**
 * @param examples folder of the shipped examples
 * @param drive URL of the local drive
 * @param files local paths that replace those in the examples, by the name of the path: see `examplePaths`
 */
export function demoFlows({ examples, drive, files }) {
  const tabs = readdirSync(examples)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => exampleTab(path.join(examples, name), files));
  return [
    account(ACCOUNT, 'Local drive', drive),
    account(NEW_ACCOUNT, 'Try signing in', drive),
    ...wrapBackup(tabs, files),
    ...signInNodes(),
  ];
}

/**
 * Credentials of the two accounts: one is signed in, the other is for trying the sign-in. Each has its own client, so that
 * revoking one sign-in doesn't affect the other.
 */
export function demoCredentials({ client, newClient, refreshToken }) {
  return {
    [ACCOUNT]: { clientId: client.id, clientSecret: client.secret, refreshToken },
    [NEW_ACCOUNT]: { clientId: newClient.id, clientSecret: newClient.secret },
  };
}

function account(id, name, drive) {
  return {
    id,
    type: 'cloud-drive-account',
    name,
    service: 'custom',
    baseUrl: drive,
    uploadUrl: '',
    tokenUrl: `${drive}/token`,
    deviceUrl: `${drive}/device/code`,
    authUrl: `${drive}/o/oauth2/v2/auth`,
    revokeUrl: `${drive}/revoke`,
    folderMimeType: 'application/vnd.google-apps.folder',
    scope: 'https://www.googleapis.com/auth/drive.file',
    driveId: '',
    requestsPerSecond: 100,
    maxTransfers: 4,
    retryFor: 30,
    timeout: 10,
    bandwidth: 0,
    signedInAt: '',
  };
}

/** The paths in the examples, or what they begin with, and the demo's own. */
function examplePaths(files) {
  return [
    ['/home/pi/backup.tar.gz', files.archive],
    ['/home/pi/documents', files.documents],
    ['/home/pi/outbox', files.outbox],
    ['/home/pi/.node-red', files.userDir],
    ['/home/pi/restored', files.restored],
    ['/home/pi/photos', files.photos],
    ['/home/pi/home.db', files.database],
    ['/home/pi/dump', files.dump],
    ['/home/pi/site/public', files.website],
    ['/home/pi/camera', files.camera],
    ['/share/backup', files.homeAssistant],
    ['"/tmp/"', `${files.downloads}/`],
  ];
}

/** An example with the demo's account and local files. */
function exampleTab(file, files) {
  let text = readFileSync(file, 'utf8');
  for (const [path, own] of examplePaths(files)) {
    const replacement = own.replaceAll('\\', '/');
    text = text.replaceAll(path, path.startsWith('"') ? JSON.stringify(replacement) : replacement);
  }
  return JSON.parse(text)
    .filter(({ type }) => type !== 'cloud-drive-account')
    .map((node) => ('account' in node ? { ...node, account: ACCOUNT } : node))
    .map((node) => (needsPassphrase(node) ? { ...node, credentials: { passphrase: PASSPHRASE } } : node));
}

/** Snapshots are always encrypted. */
function needsPassphrase({ format, from }) {
  return format === 'snapshot' || from === 'snapshots';
}

/**
 * GET /demo/backup runs the nightly backup, finds its archive by the number, restores it, compares it with the source, and
 * responds with the result or the error.
 */
function wrapBackup(nodes, files) {
  const tab = nodes.find(({ type, label }) => type === 'tab' && label === 'Nightly backup');
  const findNode = (name) => nodes.find((node) => node.z === tab.id && node.name === name);
  const [backup, failed] = ['backup', 'errors'].map(findNode);
  const { props } = findNode('every night at 02:30');
  backup.wires[0].push('demo-result-out');
  failed.wires[0].push('demo-failed-out');
  return [
    { id: DEMO_TAB, type: 'tab', label: 'Demo', disabled: false, info: '', env: [] },
    ...nodes,
    {
      ...link('demo-start-in', 'link in', tab.id, ['demo-start-out'], 175, 160, [[backup.id]]),
      name: 'GET /demo/backup',
    },
    { ...link('demo-result-out', 'link out', tab.id, ['demo-result-in'], 555, 160), mode: 'link' },
    { ...link('demo-failed-out', 'link out', tab.id, ['demo-failed-in'], 355, 240), mode: 'link' },
    ...httpEndpoint(props, backup, files),
  ];
}

/** The nodes of the demo's own tab that receive the request, restore the archive, and send the response. */
function httpEndpoint(props, backup, files) {
  return [
    {
      ...{ id: 'demo-comment', type: 'comment', z: DEMO_TAB, x: 230, y: 60, wires: [] },
      name: 'curl localhost:PORT/demo/backup',
      info: 'Runs the flow of the tab **Nightly backup**, restores its archive by the number, compares it with the source, and responds with the result.',
    },
    {
      ...{ id: 'demo-request', type: 'http in', z: DEMO_TAB, name: '', url: '/demo/backup', method: 'get' },
      ...{ upload: false, swaggerDoc: '', x: 160, y: 120, wires: [['demo-start']] },
    },
    fn('demo-start', 'set the folder', startCode(props), 370, 120, ['demo-start-out']),
    { ...link('demo-start-out', 'link out', DEMO_TAB, ['demo-start-in'], 525, 120), mode: 'link' },
    link('demo-result-in', 'link in', DEMO_TAB, ['demo-result-out'], 115, 180, [['demo-select']]),
    fn('demo-select', 'select its number', selectCode(files.demoRestored), 250, 180, ['demo-restore']),
    {
      ...{
        id: 'demo-restore',
        type: 'cloud-drive-restore',
        z: DEMO_TAB,
        name: 'restore it',
        account: ACCOUNT,
      },
      ...{ folder: backup.folder, folderType: 'str', folderPath: '', which: 'number', select: 'payload' },
      ...{ selectType: 'msg', selectPath: '', pattern: 'documents-*', localPath: 'filename' },
      ...{
        localPathType: 'msg',
        overwrite: 'replace',
        include: '',
        maxRatio: '',
        progress: false,
        outputs: 1,
      },
      ...{ x: 430, y: 180, wires: [['demo-compare']] },
    },
    {
      ...fn('demo-compare', 'compare', COMPARE_CODE, 590, 180, ['demo-response']),
      libs: [
        { var: 'fs', module: 'fs' },
        { var: 'path', module: 'path' },
      ],
    },
    link('demo-failed-in', 'link in', DEMO_TAB, ['demo-failed-out'], 115, 240, [['demo-error']]),
    {
      ...{
        id: 'demo-catch',
        type: 'catch',
        z: DEMO_TAB,
        name: '',
        scope: ['demo-select', 'demo-restore', 'demo-compare'],
      },
      ...{ uncaught: false, x: 130, y: 280, wires: [['demo-error']] },
    },
    fn('demo-error', 'error response', ERROR_CODE, 290, 240, ['demo-response']),
    {
      ...{ id: 'demo-response', type: 'http response', z: DEMO_TAB, name: '', statusCode: '' },
      ...{ headers: { 'content-type': 'application/json' }, x: 770, y: 180, wires: [] },
    },
  ];
}

/** Nodes that show the user of the second account. */
function signInNodes() {
  const props = [];
  return [
    {
      ...{ id: 'demo-sign-in-comment', type: 'comment', z: DEMO_TAB, x: 150, y: 340, wires: [] },
      name: 'Try signing in',
      info: SIGN_IN_INFO,
    },
    {
      ...{ id: 'demo-sign-in-button', type: 'inject', z: DEMO_TAB, name: 'check who is signed in', props },
      ...{ repeat: '', crontab: '', once: false, onceDelay: 0.1, topic: '' },
      ...{ x: 170, y: 400, wires: [['demo-sign-in-about']] },
    },
    {
      ...{ id: 'demo-sign-in-about', type: 'cloud-drive-about', z: DEMO_TAB, name: 'open me to sign in' },
      ...{ account: NEW_ACCOUNT, fields: 'user', x: 410, y: 400, wires: [['demo-sign-in-shown']] },
    },
    {
      ...{ id: 'demo-sign-in-shown', type: 'debug', z: DEMO_TAB, name: 'user', active: true },
      ...{ tosidebar: true, console: false, tostatus: false, complete: 'payload.user' },
      ...{ targetType: 'msg', statusVal: '', statusType: 'auto', x: 600, y: 400, wires: [] },
    },
  ];
}

const SIGN_IN_INFO = `1. Open the node **open me to sign in**, and click the pencil next to *Account*.
2. Click **Sign in**, open the page shown, and enter the code there.
3. Click **Update**, **Done** and **Deploy**, then the button of *check who is signed in*.

This account has its own client. If you sign out here and revoke access, the other account stays signed in.`;

/** Sets the same properties as the Inject node of the backup. */
const startCode = (props) =>
  [...props.map(({ p, v }) => `msg.${p} = ${JSON.stringify(v)};`), 'return msg;'].join('\n');

/** Restores next to the demo's other files. The deployed flow also runs at night, without a request. */
const selectCode = (folder) => `if (!msg.res) {
    return null;
}
msg.source = msg.filename;
msg.archive = msg.payload;
msg.payload = msg.backup.number;
msg.filename = ${JSON.stringify(folder)};
return msg;`;

const COMPARE_CODE = `const compare = async (a, b) => {
    if (!(await fs.promises.stat(a)).isDirectory()) {
        const [x, y] = await Promise.all([a, b].map(file => fs.promises.readFile(file)));
        return x.equals(y);
    }
    const names = await fs.promises.readdir(a);
    const results = await Promise.all(names.map(name => compare(path.join(a, name), path.join(b, name))));
    return results.every(Boolean);
};
const ok = await compare(msg.source, path.join(msg.filename, path.basename(msg.source)));
const { id, name, size, md5Checksum } = msg.archive;
const { kept, removed } = msg.pruned;
msg.payload = JSON.stringify({
    ok,
    name,
    number: msg.backup.number,
    id,
    size: Number(size),
    md5: md5Checksum,
    entries: msg.restored.entries,
    restored: msg.filename,
    deleted: removed.map(file => file.name),
    kept: kept.length
}, null, 2) + "\\n";
return msg;`;

const ERROR_CODE = `if (!msg.res) {
    return null;
}
msg.statusCode = 500;
const error = { code: msg.error.cause?.code, message: msg.error.message };
msg.payload = JSON.stringify({ ok: false, error }, null, 2) + "\\n";
return msg;`;

function fn(id, name, func, x, y, to) {
  const plain = { outputs: 1, timeout: 0, noerr: 0, initialize: '', finalize: '', libs: [] };
  return { id, type: 'function', z: DEMO_TAB, name, func, ...plain, x, y, wires: [to] };
}

function link(id, type, z, links, x, y, wires = []) {
  return { id, type, z, name: '', links, x, y, wires };
}
