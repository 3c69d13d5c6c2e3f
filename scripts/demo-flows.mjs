/** The demo's flows: every example with an account at the local drive, and an HTTP endpoint for the backup. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const ACCOUNT = 'demo-account';
const NEW_ACCOUNT = 'demo-account-new';
const DEMO_TAB = 'demo-tab';

/**
 * @param examples folder of the shipped examples
 * @param drive URL of the local drive
 * @param files local paths that replace those in the examples: `archive` to back up, `documents` to copy
 */
export function demoFlows({ examples, drive, files }) {
  const tabs = readdirSync(examples)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => exampleTab(path.join(examples, name), files));
  return [
    account(ACCOUNT, 'Local drive, signed in', drive),
    account(NEW_ACCOUNT, 'Local drive, sign in here', drive),
    ...wrapBackup(tabs),
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

/** An example with the demo's account and local files. */
function exampleTab(file, { archive, documents }) {
  const slashes = (name) => name.replaceAll('\\', '/');
  const text = readFileSync(file, 'utf8')
    .replaceAll('/home/pi/backup.tar.gz', slashes(archive))
    .replaceAll('/home/pi/documents', slashes(documents));
  return JSON.parse(text)
    .filter(({ type }) => type !== 'cloud-drive-account')
    .map((node) => ('account' in node ? { ...node, account: ACCOUNT } : node));
}

/** GET /demo/backup runs the nightly backup and responds with its result or its error. */
function wrapBackup(nodes) {
  const tab = nodes.find(({ type, label }) => type === 'tab' && label === 'Nightly backup');
  const named = (name) => nodes.find((node) => node.z === tab.id && node.name === name);
  const [first, result, failed] = ['the folder', 'result', 'any step failed'].map(named);
  const { props } = named('02:30 every night');
  result.wires[0].push('demo-result-out');
  failed.wires[0].push('demo-failed-out');
  return [
    { id: DEMO_TAB, type: 'tab', label: 'Demo', disabled: false, info: '', env: [] },
    ...nodes,
    {
      ...link('demo-start-in', 'link in', tab.id, ['demo-start-out'], 175, 160, [[first.id]]),
      name: 'GET /demo/backup',
    },
    { ...link('demo-result-out', 'link out', tab.id, ['demo-result-in'], 1055, 340), mode: 'link' },
    { ...link('demo-failed-out', 'link out', tab.id, ['demo-failed-in'], 355, 420), mode: 'link' },
    ...httpEndpoint(props),
  ];
}

/** The nodes of the demo's own tab that receive the request and send the response. */
function httpEndpoint(props) {
  return [
    {
      ...{ id: 'demo-comment', type: 'comment', z: DEMO_TAB, x: 230, y: 60, wires: [] },
      name: 'curl localhost:PORT/demo/backup',
      info: 'Runs the flow of the tab **Nightly backup** and responds with its result.',
    },
    {
      ...{ id: 'demo-request', type: 'http in', z: DEMO_TAB, name: '', url: '/demo/backup', method: 'get' },
      ...{ upload: false, swaggerDoc: '', x: 160, y: 120, wires: [['demo-start']] },
    },
    fn('demo-start', 'what to back up', startCode(props), 370, 120, ['demo-start-out']),
    { ...link('demo-start-out', 'link out', DEMO_TAB, ['demo-start-in'], 525, 120), mode: 'link' },
    link('demo-result-in', 'link in', DEMO_TAB, ['demo-result-out'], 115, 180, [['demo-asked']]),
    link('demo-failed-in', 'link in', DEMO_TAB, ['demo-failed-out'], 115, 240, [['demo-error']]),
    fn('demo-error', 'the error', ERROR_CODE, 230, 240, ['demo-asked']),
    fn('demo-asked', 'if someone asked', 'return msg.res ? msg : null;', 410, 180, ['demo-response']),
    {
      ...{ id: 'demo-response', type: 'http response', z: DEMO_TAB, name: '', statusCode: '' },
      ...{ headers: { 'content-type': 'application/json' }, x: 590, y: 180, wires: [] },
    },
  ];
}

/** Nodes that show the user of the second account. */
function signInNodes() {
  const props = [];
  return [
    {
      ...{ id: 'demo-sign-in-comment', type: 'comment', z: DEMO_TAB, x: 150, y: 340, wires: [] },
      name: 'Try the sign-in',
      info: SIGN_IN_INFO,
    },
    {
      ...{ id: 'demo-sign-in-button', type: 'inject', z: DEMO_TAB, name: 'who is signed in?', props },
      ...{ repeat: '', crontab: '', once: false, onceDelay: 0.1, topic: '' },
      ...{ x: 170, y: 400, wires: [['demo-sign-in-about']] },
    },
    {
      ...{ id: 'demo-sign-in-about', type: 'cloud-drive-about', z: DEMO_TAB, name: 'Sign in here' },
      ...{ account: NEW_ACCOUNT, fields: 'user', x: 370, y: 400, wires: [['demo-sign-in-shown']] },
    },
    {
      ...{ id: 'demo-sign-in-shown', type: 'debug', z: DEMO_TAB, name: 'this one', active: true },
      ...{ tosidebar: true, console: false, tostatus: false, complete: 'payload.user' },
      ...{ targetType: 'msg', statusVal: '', statusType: 'auto', x: 560, y: 400, wires: [] },
    },
  ];
}

const SIGN_IN_INFO = `1. Open the node **Sign in here**, and its account with the pencil.
2. Press **Sign in**, open the page that is shown, and type the code there.
3. **Update**, **Done**, **Deploy**, then press the button of *who is signed in?*.

The account has a client of its own, so that signing out here, also at the service, ends nothing of the other one.`;

/** Sets the same properties as the Inject node of the backup. */
const startCode = (props) =>
  [...props.map(({ p, v }) => `msg.${p} = ${JSON.stringify(v)};`), 'return msg;'].join('\n');

const ERROR_CODE = `msg.statusCode = 500;
msg.payload = { ok: false, error: { code: msg.error.cause?.code, message: msg.error.message } };
return msg;`;

function fn(id, name, func, x, y, to) {
  const plain = { outputs: 1, timeout: 0, noerr: 0, initialize: '', finalize: '', libs: [] };
  return { id, type: 'function', z: DEMO_TAB, name, func, ...plain, x, y, wires: [to] };
}

function link(id, type, z, links, x, y, wires = []) {
  return { id, type, z, name: '', links, x, y, wires };
}
