/**
 * `npm run pictures`: makes the README's pictures from the real editor, into docs/images. To look at them in another
 * theme, and at the dialogs of all flow nodes in another language:
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

interface Studio {
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
  const studio = { drive, nodeRed, browser };
  try {
    if (dialogs) await dialogPictures(studio);
    else await readmePictures(studio);
  } finally {
    await browser.close();
    await nodeRed.close();
    await drive.close();
  }
}

async function readmePictures(studio: Studio): Promise<void> {
  await backupPicture(studio);
  await panelPictures(studio);
  await pickerPicture(studio);
  await failedPicture(studio);
}

/** Without what would not be there a moment later. */
async function take(what: Locator, name: string): Promise<void> {
  await what.page().mouse.move(0, 0);
  const style = '#red-ui-notifications { visibility: hidden; }';
  await what.screenshot({ path: path.join(to, `${name}.png`), animations: 'disabled', style });
}

async function open({ browser, nodeRed }: Studio): Promise<EditorPage> {
  const editor = await EditorPage.open(browser, nodeRed.url, { locale: lang });
  if (theme === 'dark') await darken(editor.page);
  return editor;
}

/** The canvas alone, without the palette and the sidebar. */
async function canvasOf(studio: Studio): Promise<EditorPage> {
  const editor = await open(studio);
  await editor.page.setViewportSize(WIDE);
  await editor.page.evaluate(() => {
    const { RED } = window as unknown as {
      RED: { actions: { invoke(action: string, isShown: boolean): void } };
    };
    for (const side of ['palette', 'sidebar']) RED.actions.invoke(`core:toggle-${side}`, false);
  });
  return editor;
}

async function backupPicture(studio: Studio): Promise<void> {
  const example = await readFile(path.join(root, 'examples/nightly-backup.json'), 'utf8');
  const flow = (JSON.parse(example) as DeployedNode[]).map((node) =>
    node.type === 'cloud-drive-account'
      ? { ...node, ...customAccount(studio.drive.url), credentials: { ...CREDENTIALS } }
      : node,
  );
  await studio.nodeRed.deploy(flow);
  const editor = await canvasOf(studio);
  await take(editor.page.locator('#red-ui-workspace-chart'), 'nightly-backup');
  await editor.close();
}

/** Before, during and after a sign-in: the three steps. */
async function panelPictures(studio: Studio): Promise<void> {
  const { drive, nodeRed } = studio;
  await drive.files.add({ name: 'backup.tar', content: Buffer.alloc(4_000_000) });
  await nodeRed.deploy([
    TAB,
    { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 300, y: 80, wires: [[]] },
  ]);
  const editor = await open(studio);
  await editor.openNode('about');
  await editor.addAccount();
  await editor.page.setViewportSize(HIGH);
  const steps = (last: string) => editor.page.locator(`#cloud-drive-step-${last}`);
  await panel(editor).getByRole('button', { name: 'Sign in' }).waitFor();
  await take(editor.page.locator('#node-config-dialog-edit-form'), 'sign-in-before');
  await fillAccount(editor, drive.url);
  const { code } = await signIn(editor);
  await take(steps('sign-in'), 'sign-in-code');
  drive.approve(code);
  await panel(editor).getByText('MB used').waitFor();
  await take(steps('sign-in'), 'signed-in');
  await editor.close();
}

async function pickerPicture(studio: Studio): Promise<void> {
  const { drive, nodeRed } = studio;
  const backups = await drive.files.addFolder('Backups');
  await drive.files.addFolder('Pictures');
  for (const day of ['19', '20', '21'])
    await drive.files.add({
      name: `house-2026-11-${day}.tar.gz`,
      parent: backups,
      content: Buffer.alloc(180_000),
    });
  await nodeRed.deploy([...withAccount(drive), node('download', {})]);
  const editor = await open(studio);
  await editor.openNode('download');
  const picker = new PickerPage(editor);
  await picker.open('file');
  await picker.expand('Backups', 'house-2026-11-21.tar.gz');
  await picker.row('house-2026-11-21.tar.gz').click();
  await take(editor.page.locator('.red-ui-tray').last(), 'picker');
  await editor.close();
}

async function failedPicture(studio: Studio): Promise<void> {
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
  await studio.nodeRed.deploy([...withAccount(studio.drive), inject, node('download', file)]);
  const editor = await canvasOf(studio);
  await editor.run('inject');
  await editor.status('download', 'not found');
  await editor.page.setViewportSize({ width: 640, height: 250 });
  await take(editor.page.locator('#red-ui-workspace-chart'), 'failed-node');
  await editor.close();
}

async function dialogPictures(studio: Studio): Promise<void> {
  await studio.nodeRed.deploy([
    ...withAccount(studio.drive),
    ...NODES.map((kind, index) => node(kind, { y: 60 + 60 * index })),
  ]);
  const editor = await open(studio);
  await editor.page.setViewportSize(HIGH);
  for (const kind of NODES) {
    await editor.openNode(kind);
    await take(editor.page.locator('.red-ui-tray').last(), `dialog-${kind}`);
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
