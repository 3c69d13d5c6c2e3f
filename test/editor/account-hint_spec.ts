/** The hint about the account in a node's dialog, as after the import of an example next to a signed-in account. */
import type { Page } from 'playwright-core';
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { editorFixture } from '../support/editor/editor-fixture';
import { importExample } from '../support/editor/import-example';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { closeAll } from '../support/close-all';

describe('the hint about an account that isn’t signed in', () => {
  let drive: LocalDrive;
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
  });
  after(() => closeAll(drive));
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    {
      ...{ id: 'mine', type: 'cloud-drive-account', name: 'Mine', ...customAccount(drive.url) },
      credentials: { ...CREDENTIALS },
    },
    { id: 'imported', type: 'cloud-drive-account', name: 'My drive' },
    { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 300, y: 80, account: 'imported', wires: [[]] },
  ]);

  it('names the signed-in account until it is selected', async () => {
    const { editor } = fixture;
    await editor.openNode('about');
    const hint = editor.page.getByText("This account isn't signed in. Choose a signed-in one (“Mine”)");
    await hint.waitFor();
    await editor.field('account').selectOption('mine');
    await hint.waitFor({ state: 'detached' });
    await editor.field('account').selectOption('imported');
    await hint.waitFor();
    await editor.closeDialog('#node-dialog-cancel');
    editor.errors.should.eql([]);
  });

  it('the node is marked as invalid until another account is selected', async () => {
    const { editor } = fixture;
    const isMarked = (): Promise<void> => waitForValidity(editor.page, 'about', false);
    await isMarked();
    // A reason, for the list of configuration nodes.
    (await validationErrors(editor.page, 'imported')).should.match(/This account isn't signed in.*“Mine”/);
    await editor.openNode('about');
    await editor.field('account').selectOption('mine');
    await editor.closeDialog('#node-dialog-ok');
    await waitForValidity(editor.page, 'about', true);
    await editor.openNode('about');
    await editor.field('account').selectOption('imported');
    await editor.closeDialog('#node-dialog-ok');
    await isMarked();
  });

  it('a slow answer about an account doesn’t replace a later one', async () => {
    const { editor } = fixture;
    const ask = (): Promise<void> =>
      editor.page.evaluate(() => RED.events.emit('nodes:change', RED.nodes.node('mine')));
    const isMine = /\/cloud-drive-account\/mine\?/;
    const [arrived, release] = await editor.holdNext(isMine, { signedIn: false });
    await ask();
    await arrived;
    const later = editor.page.waitForResponse(isMine);
    await ask();
    await later;
    await release();
    await waitForValidity(editor.page, 'about', false);
    (await validationErrors(editor.page, 'imported')).should.match(/“Mine”/);
  });

  it('the nodes of an imported example are marked as invalid', async () => {
    const { editor } = fixture;
    await importExample(editor.page, PACKAGE, 'nightly-backup');
    await editor.page.waitForFunction(() =>
      RED.nodes.filterNodes({ type: 'cloud-drive-backup' }).some(({ valid }) => valid === false),
    );
    editor.errors.should.eql([]);
  });
});

const PACKAGE = 'node-red-contrib-cloud-drive';

async function waitForValidity(page: Page, id: string, isValid: boolean): Promise<void> {
  await page.waitForFunction(([node, expected]) => RED.nodes.node(node).valid === expected, [
    id,
    isValid,
  ] as const);
}

function validationErrors(page: Page, id: string): Promise<string> {
  return page.evaluate((node) => String(RED.nodes.node(node).validationErrors), id);
}
