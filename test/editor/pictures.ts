/**
 * `npm run pictures`: takes the screenshots of the README in the real editor, into docs/images. With options it takes them
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
import { fillAccount, panel, signIn } from '../support/editor/account-dialog';
import { startBrowser } from '../support/editor/browser';
import { darken } from '../support/editor/dark-theme';
import { NODES } from '../support/editor/dialogs';
import { PickerPage } from '../support/editor/drive-picker';
import { EditorPage } from '../support/editor/editor-page';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';

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
  const nodeRed = await startNodeRed({ settings: { lang } });
  const browser = await startBrowser('machine');
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
}

/** Hides notifications and the hover state. */
async function screenshot(target: Locator, name: string): Promise<void> {
  await target.page().mouse.move(0, 0);
  const style = '#red-ui-notifications { visibility: hidden; }';
  await target.screenshot({ path: path.join(to, `${name}.png`), animations: 'disabled', style });
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
  await screenshot(editor.page.locator('#red-ui-workspace-chart'), 'nightly-backup');
  await editor.close();
}

/** The account's dialog before, during and after a sign-in. */
async function panelPictures(env: Env): Promise<void> {
  const { drive, nodeRed } = env;
  await drive.files.add({ name: 'backup.tar', content: Buffer.alloc(4_000_000) });
  await nodeRed.deploy([
    TAB,
    { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 300, y: 80, wires: [[]] },
  ]);
  const editor = await open(env);
  await editor.openNode('about');
  await editor.addAccount();
  await editor.page.setViewportSize(HIGH);
  const steps = (last: string) => editor.page.locator(`#cloud-drive-step-${last}`);
  await panel(editor).getByRole('button', { name: 'Sign in' }).waitFor();
  await screenshot(editor.page.locator('#node-config-dialog-edit-form'), 'sign-in-before');
  await fillAccount(editor, drive.url);
  const { code } = await signIn(editor);
  await screenshot(steps('sign-in'), 'sign-in-code');
  drive.approve(code);
  await panel(editor).getByText('MB used').waitFor();
  await screenshot(steps('sign-in'), 'signed-in');
  await editor.close();
}

async function pickerPicture(env: Env): Promise<void> {
  const { drive, nodeRed } = env;
  const backups = await drive.files.addFolder('Backups');
  await drive.files.addFolder('Pictures');
  for (const day of ['19', '20', '21'])
    await drive.files.add({
      name: `house-2026-11-${day}.tar.gz`,
      parent: backups,
      content: Buffer.alloc(180_000),
    });
  await nodeRed.deploy([...withAccount(drive), node('download', {})]);
  const editor = await open(env);
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
  await env.nodeRed.deploy([...withAccount(env.drive), inject, node('download', file)]);
  const editor = await canvasOf(env);
  await editor.inject('inject');
  await editor.status('download', 'not found');
  await editor.page.setViewportSize({ width: 640, height: 250 });
  await screenshot(editor.page.locator('#red-ui-workspace-chart'), 'failed-node');
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

void main();
