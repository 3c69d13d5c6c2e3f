/**
 * `npm run pictures`: takes the screenshots of the README and the docs in the real editor, into docs/images. With options it takes them
 * in another theme, or takes the dialogs of all flow nodes in another language:
 *
 *     npm run pictures -- --theme dark --to FOLDER
 *     npm run pictures -- --dialogs --lang de --to FOLDER
 *
 * https://playwright.dev/docs/screenshots
 */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Locator } from 'playwright-core';
import { type LocalDrive, startLocalDrive } from '../local-drive/index';
import { ACCESS_TOKEN, CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { panel, paste, signIn } from '../support/editor/account-dialog';
import { launchBrowser } from '../support/editor/browser';
import { darken } from '../support/editor/dark-theme';
import { NODES } from '../support/editor/dialogs';
import { PickerPage } from '../support/editor/drive-picker';
import { EditorPage } from '../support/editor/editor-page';
import { type FakeGoogle, startFakeGoogle } from '../support/node-red/fake-google';
import { ALL_CORE_NODES, type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';

const root = path.join(__dirname, '../..');
const { to, theme, dialogs, lang } = parseArgs({
  options: {
    to: { type: 'string', default: path.join(root, 'docs/images') },
    theme: { type: 'string', default: 'light' },
    dialogs: { type: 'boolean', default: false },
    lang: { type: 'string', default: 'en-US' },
  },
}).values;
const WIDE = { width: 1270, height: 530 };
const HIGH = { width: 1270, height: 1500 };
/** Pixels. */
const MARGIN = 10;
/** High enough for the picker's rows. */
const LOW = { width: 1270, height: 600 };
/** A client ID as Google issues them, and the page where its users enter codes. */
const GOOGLE = {
  client: { id: '123456789012-demo.apps.googleusercontent.com', secret: 'a secret of Google' },
  verificationUrl: 'https://www.google.com/device',
};
/** Steps of the client guide that are checked, which expands the next one. */
const CHECKED_STEPS = 4;
const GB = 1_000_000_000;
const ABOUT = JSON.stringify({
  user: { displayName: 'Ada Example', emailAddress: 'ada@example.com', permissionId: '1', me: true },
  storageQuota: { limit: String(15 * 2 ** 30), usage: String(4.2 * GB), usageInDriveTrash: String(0.3 * GB) },
});
const TAB: DeployedNode = { id: 'tab', type: 'tab', label: 'Backup' };

interface Env {
  drive: LocalDrive;
  nodeRed: NodeRed;
  browser: Browser;
}

async function main(): Promise<void> {
  await mkdir(to, { recursive: true });
  const drive = await startLocalDrive({
    ...{ clients: [CLIENT], token: ACCESS_TOKEN, refreshToken: REFRESH_TOKEN },
    ...{ interval: 1, quota: 15 * 1024 ** 2 },
  });
  const nodeRed = await startNodeRed({ settings: { ...ALL_CORE_NODES, lang } });
  const browser = await launchBrowser('machine');
  const env = { drive, nodeRed, browser };
  try {
    if (dialogs) await dialogPictures(env);
    else await readmePictures(env);
  } finally {
    await browser.close();
    await nodeRed.close();
    await drive.close();
  }
}

async function readmePictures(env: Env): Promise<void> {
  await backupPicture(env);
  await panelPictures(env);
  await pickerPicture(env);
  await failedPicture(env);
  await archivePictures(env);
}

const STYLE = '#red-ui-notifications { visibility: hidden; }';

/** Hides notifications and the hover state. */
async function screenshot(target: Locator, name: string): Promise<void> {
  await target.page().mouse.move(0, 0);
  await target.screenshot({ path: path.join(to, `${name}.png`), animations: 'disabled', style: STYLE });
}

/** The part of the page that contains the visible elements, with a margin. */
async function unionPicture({ page }: EditorPage, name: string, targets: string): Promise<void> {
  await page.mouse.move(0, 0);
  const [left, top, right, bottom] = await finalBounds(page.locator(targets));
  const [width, height] = [right - left + 2 * MARGIN, bottom - top + 2 * MARGIN];
  const clip = { x: left - MARGIN, y: top - MARGIN, width, height };
  await page.screenshot({ path: path.join(to, `${name}.png`), animations: 'disabled', style: STYLE, clip });
}

type Bounds = [left: number, top: number, right: number, bottom: number];

/** Measures until nothing moves: the editor animates its side bars. */
async function finalBounds(target: Locator): Promise<Bounds> {
  for (let before: Bounds | undefined; ;) {
    const now = await bounds(target);
    if (before?.join() === now.join()) return now;
    before = now;
    // Longer than a step of the animation.
    await target.page().waitForTimeout(500);
  }
}

async function bounds(target: Locator): Promise<Bounds> {
  const boxes = await target.evaluateAll((all) =>
    all
      .map((each) => each.getBoundingClientRect())
      .filter(({ width }) => width > 0)
      .map(({ left, top, right, bottom }) => ({ left, top, right, bottom })),
  );
  return [
    Math.min(...boxes.map(({ left }) => left)),
    Math.min(...boxes.map(({ top }) => top)),
    Math.max(...boxes.map(({ right }) => right)),
    Math.max(...boxes.map(({ bottom }) => bottom)),
  ];
}

/** The nodes and wires of a flow. */
async function canvasPicture(editor: EditorPage, name: string): Promise<void> {
  await editor.page.locator('#red-ui-workspace-chart').evaluate((chart) => chart.scrollTo(0, 0));
  await unionPicture(editor, name, '.red-ui-flow-node-group, .red-ui-flow-link-line');
}

async function open({ browser, nodeRed }: Env): Promise<EditorPage> {
  const editor = await EditorPage.open(browser, nodeRed.url, { locale: lang });
  if (theme === 'dark') await darken(editor.page);
  return editor;
}

/** Opens an editor without the palette and the sidebar. */
async function canvasOf(env: Env): Promise<EditorPage> {
  const editor = await open(env);
  await editor.page.setViewportSize(WIDE);
  await editor.page.evaluate(() => {
    const { RED } = window as unknown as {
      RED: { actions: { invoke(action: string, isShown: boolean): void } };
    };
    for (const side of ['palette', 'sidebar']) RED.actions.invoke(`core:toggle-${side}`, false);
  });
  return editor;
}

async function backupPicture(env: Env): Promise<void> {
  const example = await readFile(path.join(root, 'examples/nightly-backup.json'), 'utf8');
  const flow = (JSON.parse(example) as DeployedNode[]).map((node) =>
    node.type === 'cloud-drive-account'
      ? { ...node, ...customAccount(env.drive.url), credentials: { ...CREDENTIALS } }
      : node,
  );
  await env.nodeRed.deploy(flow);
  const editor = await canvasOf(env);
  await canvasPicture(editor, 'nightly-backup');
  await editor.close();
}

/** The account's dialog before, during and after a sign-in with the Google preset. */
async function panelPictures({ browser }: Env): Promise<void> {
  const google = await startFakeGoogle(GOOGLE);
  const nodeRed = await startNodeRed({ env: google.env, settings: { ...ALL_CORE_NODES, lang } });
  try {
    const env = { drive: google.drive, nodeRed, browser };
    google.drive.faults.add({ kind: 'response', body: ABOUT, match: { path: /about$/ }, times: Infinity });
    await nodeRed.deploy([
      TAB,
      { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 300, y: 80, wires: [[]] },
    ]);
    const editor = await open(env);
    await editor.page.setViewportSize(HIGH);
    await editor.openNode('about');
    await editor.addAccount();
    await signInPictures(editor, google);
    await editor.close();
  } finally {
    await nodeRed.close();
    await google.close();
  }
}

async function signInPictures(editor: EditorPage, { drive, clientJson }: FakeGoogle): Promise<void> {
  const guide = editor.page.locator('#cloud-drive-guide');
  for (let step = 0; step < CHECKED_STEPS; step++) await guide.getByRole('checkbox').nth(step).check();
  await screenshot(guide, 'client-guide');
  await paste(editor.page, 'client-json', clientJson);
  await editor.page.locator('#cloud-drive-client-json-message.cloud-drive-good').waitFor();
  const steps = ['client', 'scope', 'sign-in'].map((name) => `#cloud-drive-step-${name}`);
  await unionPicture(editor, 'sign-in-before', steps.join(', '));
  const step = editor.page.locator('#cloud-drive-step-sign-in');
  const { code } = await signIn(editor);
  await screenshot(step, 'sign-in-code');
  drive.approve(code);
  await panel(editor).getByText('GB used').waitFor();
  await screenshot(step, 'signed-in');
}

async function pickerPicture(env: Env): Promise<void> {
  const { drive, nodeRed } = env;
  const backups = await drive.files.addFolder('Backups');
  await drive.files.addFolder('Photos');
  await drive.files.addFolder('Readings');
  for (const day of ['17', '18', '19', '20', '21'])
    await drive.files.add({
      name: `house-2026-11-${day}.tar.gz`,
      parent: backups,
      content: Buffer.alloc(180_000),
    });
  await nodeRed.deploy([...withAccount(drive), node('download', {})]);
  const editor = await open(env);
  await editor.page.setViewportSize(LOW);
  await editor.openNode('download');
  const picker = new PickerPage(editor);
  await picker.open('file');
  await picker.expand('Backups', 'house-2026-11-21.tar.gz');
  await picker.row('house-2026-11-21.tar.gz').click();
  await screenshot(editor.page.locator('.red-ui-tray').last(), 'picker');
  await editor.close();
}

async function failedPicture(env: Env): Promise<void> {
  const once = {
    repeat: '',
    crontab: '',
    once: false,
    props: [{ p: 'payload' }],
    payload: '',
    payloadType: 'date',
  };
  const inject = { id: 'inject', type: 'inject', z: 'tab', x: 140, y: 80, ...once, wires: [['download']] };
  const file = { file: '/Backups/house-2026-11-22.tar.gz', fileType: 'str' };
  await env.nodeRed.deploy([...withAccount(env.drive), inject, node('download', { ...file, x: 440 })]);
  const editor = await canvasOf(env);
  await editor.inject('inject');
  await editor.status('download', 'not found');
  await canvasPicture(editor, 'failed-node');
  await editor.close();
}

const SNAPSHOT = { format: 'snapshot', folder: '/Snapshots', credentials: { passphrase: 'correct horse' } };

/** The dialogs of backup and restore, as in the flows of their pages, and of a backup as a snapshot. */
async function archivePictures(env: Env): Promise<void> {
  const source = { source: '/home/pi/documents', sourceType: 'str' };
  const target = { localPath: '/home/pi/restored', localPathType: 'str' };
  await env.nodeRed.deploy([
    ...withAccount(env.drive),
    node('backup', { ...source, daily: 7, weekly: 4 }),
    node('restore', { ...target, which: 'date', select: '2026-11-22', selectType: 'str', y: 140 }),
    {
      ...node('backup', { ...source, ...SNAPSHOT, daily: 7, weekly: 4, y: 200 }),
      id: 'snapshot',
    },
  ]);
  const editor = await open(env);
  for (const [kind, height] of [
    ['backup', 770],
    ['restore', 660],
    ['snapshot', 880],
  ] as const) {
    await editor.page.setViewportSize({ ...WIDE, height });
    await editor.openNode(kind);
    await screenshot(editor.page.locator('.red-ui-tray').last(), kind);
    await editor.closeDialog('#node-dialog-cancel');
  }
  await editor.close();
}

async function dialogPictures(env: Env): Promise<void> {
  await env.nodeRed.deploy([
    ...withAccount(env.drive),
    ...NODES.map((kind, index) => node(kind, { y: 60 + 60 * index })),
  ]);
  const editor = await open(env);
  await editor.page.setViewportSize(HIGH);
  for (const kind of NODES) {
    await editor.openNode(kind);
    await screenshot(editor.page.locator('.red-ui-tray').last(), `dialog-${kind}`);
    await editor.closeDialog('#node-dialog-cancel');
  }
  await editor.close();
}

function withAccount(drive: LocalDrive): DeployedNode[] {
  const account = { id: 'account', type: 'cloud-drive-account', name: 'Drive', ...customAccount(drive.url) };
  return [TAB, { ...account, credentials: { ...CREDENTIALS } }];
}

function node(kind: string, more: object): DeployedNode {
  return {
    id: kind,
    type: `cloud-drive-${kind}`,
    z: 'tab',
    account: 'account',
    x: 340,
    y: 80,
    wires: [[]],
    ...more,
  };
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
