/**
 * `npm run pictures`: makes the README's pictures from the real editor.
 * https://playwright.dev/docs/screenshots
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type LocalDrive, startLocalDrive } from '../local-drive/index';
import { ACCESS_TOKEN, CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/account';
import { startBrowser } from '../support/browser';
import { EditorPage } from '../support/editor-page';
import { type Deployed, type NodeRed, startNodeRed } from '../support/node-red';

const root = path.join(__dirname, '../..');
const SIZE = { width: 1270, height: 530 };

async function main(): Promise<void> {
  const drive = await startLocalDrive({
    clients: [CLIENT],
    token: ACCESS_TOKEN,
    refreshToken: REFRESH_TOKEN,
  });
  const nodeRed = await startNodeRed();
  const browser = await startBrowser();
  try {
    await nodeRed.deploy(await backupFlow(drive));
    await nodeRed.request('/settings');
    await backupPicture(await EditorPage.open(browser, nodeRed.url), nodeRed);
  } finally {
    await browser.close();
    await nodeRed.close();
    await drive.close();
  }
}

async function backupFlow(drive: LocalDrive): Promise<Deployed[]> {
  const flow = JSON.parse(
    await readFile(path.join(root, 'examples/nightly-backup.json'), 'utf8'),
  ) as Deployed[];
  return flow.map((node) =>
    node.type === 'cloud-drive-account'
      ? { ...node, ...customAccount(drive.url), credentials: CREDENTIALS }
      : node,
  );
}

/** The canvas with the nightly backup, without the palette and the sidebar. */
async function backupPicture({ page }: EditorPage, _nodeRed: NodeRed): Promise<void> {
  await page.setViewportSize(SIZE);
  await page.evaluate(() => {
    const { RED } = window as unknown as { RED: { actions: { invoke(action: string): void } } };
    RED.actions.invoke('core:toggle-palette');
    RED.actions.invoke('core:toggle-sidebar');
  });
  const canvas = page.locator('#red-ui-workspace-chart');
  await canvas.screenshot({
    path: path.join(root, 'docs/images/nightly-backup.png'),
    animations: 'disabled',
  });
}

void main();
