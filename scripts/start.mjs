/**
 * The demo: installs and builds if necessary, starts the local drive and a Node-RED with the package and its examples,
 * and prints both URLs. All data is in .demo/. Ctrl-C or SIGTERM stops it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { demoCredentials, demoFlows } from './demo-flows.mjs';
import { lock } from './demo-lock.mjs';
import { seedDrive } from './demo-seed.mjs';
import { ensureBuilt } from './ensure-built.cjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const demo = path.resolve(root, process.env.DEMO_DIR || '.demo');
const userDir = path.join(demo, 'node-red');
const driveDir = path.join(demo, 'drive');
/** The URL of the local drive in the deployed flows. Its port may change with the next start. */
const driveUrlFile = path.join(demo, 'drive-address');
const port = Number(process.env.PORT || 1880);
/** Of the local drive. The default is only a preference, but a port that the user has chosen must be free. */
const drivePort = Number(process.env.DRIVE_PORT || 3810);

const client = { id: 'demo-client', secret: 'demo-secret' };
/**
 * The client to try signing in with, as in docs/signing-in.md. The signed-in account has another one, because a service
 * revokes all sign-ins of a client at once.
 */
const newClient = { id: 'local-client', secret: 'local-secret' };
const accessToken = 'demo-access-token';
const refreshToken = 'demo-refresh-token';

const children = new Set();
let stopping = false;

await main().catch((error) => {
  console.error(error.message);
  return stop(1);
});

async function main() {
  if (!(await isFree(port))) {
    throw new Error(`Port ${port} is in use. Choose another one: PORT=${port + 1} npm start`);
  }
  mkdirSync(demo, { recursive: true });
  lock(path.join(demo, 'running'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(0));
  if (process.env.npm_lifecycle_event) stopWithParent();
  if (!existsSync(path.join(root, 'node_modules/node-red')))
    run('npm', ['install', '--no-audit', '--no-fund']);
  ensureBuilt();

  const isFirstStart = !existsSync(driveUrlFile);
  // An interrupted first start may have left incomplete data.
  if (isFirstStart)
    for (const folder of [driveDir, userDir]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(userDir, { recursive: true });
  const drive = await startDrive();
  if (isFirstStart) {
    await seedDrive({ drive, accessToken });
    installPackage();
  } else {
    updateDriveUrl(drive);
  }
  const nodeRed = await startNodeRed();
  if (isFirstStart) await deployDemo(drive, nodeRed);
  console.log(`\nlocal drive  ${drive}
Node-RED     http://127.0.0.1:${port}

Try it:      curl localhost:${port}/demo/backup
Sign in:     on the tab "Demo", open the node "open me to sign in", then its account.
             Or add an account with this client JSON:
${JSON.stringify(clientJson(drive))}

Ctrl-C ends the demo.`);
}

/** The client to try signing in with, in the format of Google's client JSON, and what else the account needs. */
function clientJson(drive) {
  return {
    installed: {
      client_id: newClient.id,
      client_secret: newClient.secret,
      auth_uri: `${drive}/o/oauth2/v2/auth`,
      token_uri: `${drive}/token`,
      base_url: drive,
      device_uri: `${drive}/device/code`,
      revoke_uri: `${drive}/revoke`,
      scope: 'https://www.googleapis.com/auth/drive.file',
      folder_mime_type: 'application/vnd.google-apps.folder',
    },
  };
}

/** Uses another port if the default one is in use. The flows are updated then. */
async function startDrive() {
  const hasPort = await isFree(drivePort);
  if (!hasPort && process.env.DRIVE_PORT)
    throw new Error(`Port ${drivePort} is in use. Choose another one: DRIVE_PORT=${drivePort + 1} npm start`);
  const drive = start(
    'local-drive',
    [
      ...[
        '--import',
        'tsx',
        'test/local-drive/cli.ts',
        '--port',
        String(hasPort ? drivePort : 0),
        '--data',
        driveDir,
      ],
      ...[client, newClient].flatMap(({ id, secret }) => ['--client', `${id}:${secret}`]),
      ...['--token', accessToken, '--refresh-token', refreshToken],
    ],
    ['ignore', 'pipe', 'ignore', 'ipc'],
  );
  const ready = await lineMatching(drive, /^ready (http:\S+)$/);
  return ready[1];
}

function installPackage() {
  const { name } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  mkdirSync(path.join(userDir, 'node_modules'), { recursive: true });
  const link = path.join(userDir, 'node_modules', name);
  if (!existsSync(link)) symlinkSync(root, link, 'junction');
  const manifest = { name: 'demo', private: true, dependencies: { [name]: `file:${root}` } };
  writeFileSync(path.join(userDir, 'package.json'), JSON.stringify(manifest, undefined, 2));
}

/** Deploys through Node-RED's API, so that it encrypts the credentials. */
async function deployDemo(drive, nodeRed) {
  const credentials = demoCredentials({ client, newClient, refreshToken });
  const files = createLocalFiles();
  const flows = demoFlows({ examples: path.join(root, 'examples'), drive, files }).map((node) =>
    node.id in credentials ? { ...node, credentials: credentials[node.id] } : node,
  );
  // Node-RED responds to a deploy before its flows have started.
  const started = flowsStarted(nodeRed);
  const response = await fetch(`http://127.0.0.1:${port}/flows`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Node-RED-API-Version': 'v2' },
    body: JSON.stringify({ flows }),
  });
  if (!response.ok)
    throw new Error(`Node-RED responded to the deploy of the demo's flows with status ${response.status}.`);
  await started;
  writeFileSync(driveUrlFile, drive);
}

/** Creates the local files of the examples, and returns the paths that replace those in the examples. */
function createLocalFiles() {
  const at = (...names) => path.join(demo, ...names);
  const folders = { outbox: at('outbox'), downloads: at('downloads') };
  const files = {
    archive: at('backup.tar.gz'),
    documents: at('documents'),
    photos: at('photos'),
    website: at('site', 'public'),
    camera: at('camera'),
    homeAssistant: at('home-assistant'),
  };
  const contents = {
    [files.archive]: randomBytes(64 * 1024),
    [path.join(files.documents, 'notes.txt')]: 'Milk, bread, a spare SD card.\n',
    [path.join(files.documents, 'letters', 'to-the-landlord.txt')]: 'The cellar is dry again.\n',
    [path.join(files.website, 'index.html')]: '<!doctype html>\n<title>Hello</title>\n',
    [path.join(files.camera, 'front-door.jpg')]: randomBytes(64 * 1024),
    [path.join(files.photos, 'cat.jpg')]: randomBytes(64 * 1024),
    [path.join(files.homeAssistant, '1a2b3c4d.tar')]: randomBytes(64 * 1024),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(contents)) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const created = { restored: at('restored'), demoRestored: at('demo-restored'), dump: at('dump') };
  return { ...folders, ...files, ...created, database: at('home.db'), userDir };
}

function updateDriveUrl(drive) {
  const previous = readFileSync(driveUrlFile, 'utf8');
  if (previous === drive) return;
  const flows = path.join(userDir, 'flows.json');
  writeFileSync(flows, readFileSync(flows, 'utf8').replaceAll(previous, drive));
  writeFileSync(driveUrlFile, drive);
}

async function startNodeRed() {
  const settings = path.join(root, 'scripts/demo-settings.cjs');
  const red = path.join(root, 'node_modules/node-red/red.js');
  const nodeRed = start(
    'node-red',
    [red, '--settings', settings, '--userDir', userDir],
    ['ignore', 'pipe', 'inherit', 'ipc'],
  );
  await flowsStarted(nodeRed);
  return nodeRed;
}

function flowsStarted(nodeRed) {
  return lineMatching(nodeRed, /Started flows/);
}

/**
 * Starts a child process, and logs its stdout. If it exits, the demo exits. If the demo exits, even when killed, the
 * IPC channel closes and the child exits.
 */
function start(name, args, stdio) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio,
    env: { ...process.env, PORT: String(port) },
  });
  children.add(child);
  child.once('exit', (code) => {
    children.delete(child);
    if (stopping) return;
    console.error(`${name} exited unexpectedly (code ${code}). See ${path.join(demo, `${name}.log`)}.`);
    void stop(1);
  });
  const log = createWriteStream(path.join(demo, `${name}.log`), { flags: 'a' });
  const lines = createInterface({ input: child.stdout }).on('line', (line) => {
    log.write(`${line}\n`);
    if (line.includes('[error]')) console.error(line);
  });
  return { name, child, lines };
}

/** Waits for a line on stdout that matches the pattern. */
function lineMatching({ name, child, lines }, pattern) {
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${name} did not start.`)));
    lines.on('line', function onLine(line) {
      const match = pattern.exec(line);
      if (!match) return;
      lines.off('line', onLine);
      resolve(match);
    });
  });
}

/** npm forwards SIGTERM only to the shell between npm and this process, which ends without forwarding it. */
function stopWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) void stop(0);
  }, 500);
  timer.unref();
}

async function stop(code) {
  if (stopping) return;
  stopping = true;
  const exits = [...children].map((child) => new Promise((resolve) => child.once('exit', resolve)));
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(exits);
  process.exit(code);
}

function run(command, args) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed.`);
}

function isFree(number) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(number, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
