/** Choosing on the drive in the real editor, with the local drive behind the account. */
import type { Browser } from 'playwright-core';
import should from 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/account';
import { startBrowser } from '../support/browser';
import { PickerPage } from '../support/drive-picker';
import { EditorPage } from '../support/editor-page';
import { type NodeRed, startNodeRed } from '../support/node-red';

const HOSTILE = '<img src=x onerror="window.hacked=true">';

describe('choosing on the drive', function () {
  this.timeout(60_000);
  let browser: Browser;
  let nodeRed: NodeRed;
  let drive: LocalDrive;
  let editor: EditorPage;
  let picker: PickerPage;
  let backups: string;
  let archive: string;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    backups = await drive.files.addFolder('Backups');
    archive = await drive.files.add({
      name: 'backup 2026.tar.gz',
      parent: await drive.files.addFolder('2026', backups),
      mimeType: 'application/gzip',
      content: 'x'.repeat(12_300),
    });
    await drive.files.add({ name: HOSTILE, content: 'x' });
    const many = await drive.files.addFolder('Many');
    for (let index = 0; index < 3_000; index++)
      await drive.files.add({ name: `entry ${index}`, parent: many });
    nodeRed = await startNodeRed();
    const account = {
      id: 'account',
      type: 'cloud-drive-account',
      name: 'Drive',
      ...customAccount(drive.url),
    };
    const node = { z: 'tab', account: 'account', x: 300, wires: [[]] };
    await nodeRed.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { ...account, credentials: { ...CREDENTIALS } },
      { ...account, id: 'signed-out', name: 'Signed out' },
      { ...node, id: 'download', type: 'cloud-drive-download', y: 60 },
      { ...node, id: 'upload', type: 'cloud-drive-upload', y: 120 },
      { ...node, id: 'delete', type: 'cloud-drive-delete', y: 180 },
    ]);
    browser = await startBrowser();
    editor = await EditorPage.open(browser, nodeRed.url);
    picker = new PickerPage(editor);
  });

  after(async () => {
    await browser?.close();
    await nodeRed?.close();
    await drive?.close();
  });

  beforeEach(() => drive.faults.clear());

  it('keeps the file that was chosen: its id, and its path for show', async () => {
    await editor.openNode('download');
    await picker.open('file');
    await picker.expand('Backups', '2026');
    (await picker.take.isDisabled()).should.equal(true);
    await picker.expand('2026', 'backup 2026.tar.gz');
    const row = picker.row('backup 2026.tar.gz');
    (await row.innerText()).should.match(/12\.3\skB/);
    await row.click();
    (await picker.chosen.innerText()).should.equal('Chosen: /Backups/2026/backup 2026.tar.gz');
    await picker.choose('file');
    await editor.closeDialog('#node-dialog-ok');
    const saved = { file: archive, fileType: 'drive', filePath: '/Backups/2026/backup 2026.tar.gz' };
    (await editor.exported('download')).should.containEql(saved);
    await editor.openNode('download');
    const shown = editor.page.locator('#node-input-file + .red-ui-typedInput-container');
    (await shown.innerText()).trim().should.equal(saved.filePath);
    await editor.closeDialog('#node-dialog-ok');
    (await editor.exported('download')).should.containEql(saved);
  });

  it('lists names as text, whatever is in them', async () => {
    await editor.openNode('delete');
    await picker.open('file');
    await picker.row(HOSTILE).click();
    (await picker.chosen.innerText()).should.equal(`Chosen: /${HOSTILE}`);
    await picker.choose('file');
    await editor.closeDialog('#node-dialog-ok');
    await editor.openNode('delete');
    (await editor.page.locator('.cloud-drive-path').innerText()).should.equal(`/${HOSTILE}`);
    await editor.closeDialog('#node-dialog-cancel');
    should(await editor.page.evaluate(() => 'hacked' in window)).equal(false);
  });

  it('shows 3,000 entries a page at a time, with the keyboard alone', async () => {
    await editor.openNode('download');
    const { keyboard } = editor.page;
    await editor.page.locator('#cloud-drive-choose-file').focus();
    await keyboard.press('Enter');
    await picker.row('Many').waitFor();
    // From the search box into the tree, to the folder and into it.
    await picker.search.press('ArrowDown');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await keyboard.press(key);
    // The service's own first page, and the row that asks for more.
    const more = picker.rows.getByText('Show more…');
    await more.waitFor({ state: 'attached' });
    (await picker.rows.count()).should.equal(4 + 100 + 1);
    for (let step = 0; step < 101; step++) await keyboard.press('ArrowDown');
    await picker.row('entry 299').waitFor({ state: 'attached' });
    (await picker.chosen.innerText()).should.equal('Chosen: /Many/entry 100');
    await keyboard.press('Control+Enter');
    await picker.area.waitFor({ state: 'detached' });
    await editor.page.locator('#cloud-drive-choose-file:focus').waitFor();
    await editor.closeDialog('#node-dialog-ok');
    (await editor.exported('download')).should.containEql({ filePath: '/Many/entry 100' });
  });

  it('finds by name on the whole drive, and tells where it lies', async () => {
    await editor.openNode('upload');
    await picker.open('folder');
    await picker.search.fill('2026');
    await picker.row('2026').click();
    await picker.chosen.getByText('/Backups/2026').waitFor();
    await picker.search.fill('nowhere');
    await picker.rows.getByText('Nothing of that name is found').waitFor();
    await picker.search.fill('');
    await picker.row('Backups').waitFor();
    await picker.cancel('folder');
    await editor.closeDialog('#node-dialog-cancel');
    should((await editor.exported('upload'))['folderType']).equal(undefined);
  });

  it('makes a folder where one is looking, and chooses it', async () => {
    await editor.openNode('upload');
    await picker.open('folder');
    await picker.row('Backups').click();
    await picker.area.getByRole('button', { name: 'New folder' }).click();
    const name = picker.area.getByLabel('Its name');
    await name.fill('a/b');
    await name.press('Enter');
    await picker.area.getByText('A folder needs a name, without a slash in it.').waitFor();
    await name.fill('Fresh');
    await name.press('Enter');
    await picker.chosen.getByText('/Backups/Fresh').waitFor();
    await picker.choose('folder');
    await editor.closeDialog('#node-dialog-ok');
    const made = drive.files.in(backups).find((file) => file.name === 'Fresh');
    (await editor.exported('upload')).should.containEql({ folder: made?.id, folderPath: '/Backups/Fresh' });
  });

  it('says what is wrong, and tries again', async () => {
    drive.faults.add({ kind: 'error', reason: 'insufficientPermissions', match: { path: /\/files$/ } });
    await editor.openNode('upload');
    await picker.open('folder');
    await picker.failure.getByText('The sign-in is not allowed to do this.').waitFor();
    await picker.area.getByRole('button', { name: 'Try again' }).click();
    await picker.row('Backups').waitFor();
    drive.faults.add({ kind: 'error', reason: 'notFound', match: { path: /\/files$/ } });
    await picker.row('Many').click();
    const failed = picker.rows.getByText("The service doesn't find this file or folder");
    await failed.click();
    await picker.rows.getByText('No folders in it').waitFor();
    await picker.cancel('folder');
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('says that nobody is signed in, that the account is not deployed, and that there is none', async () => {
    await editor.openNode('upload');
    for (const [account, said] of [
      ['signed-out', 'The account has no client ID.'],
      ['_ADD_', 'No account is chosen.'],
    ] as const) {
      await editor.field('account').selectOption(account);
      await picker.open('folder');
      await picker.failure.getByText(said).waitFor();
      await picker.cancel('folder');
    }
    await editor.addAccount();
    await editor.field('name', 'account').fill('New');
    await editor.closeDialog('#node-config-dialog-ok');
    await picker.open('folder');
    await picker.failure.getByText('Press Deploy, then open this again.').waitFor();
    await picker.cancel('folder');
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('keeps what was typed apart from what was chosen', async () => {
    await editor.openNode('download');
    await editor.setTyped('file', { type: 'msg', value: 'topic' });
    (await editor.page.locator('#node-input-filePath').inputValue()).should.equal('');
    await editor.setType('file', 'drive');
    (await editor.typed('file')).type.should.equal('drive');
    (await editor.page.locator('.cloud-drive-path').innerText()).should.equal('/Many/entry 100');
    await editor.setType('file', 'flow');
    should(await editor.typed('file')).eql({ type: 'flow', value: 'topic' });
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('writes nothing wrong into the console', () => {
    const refused = /Failed to load resource: the server responded with a status of 4\d\d/;
    editor.errors.filter((error) => !refused.test(error)).should.eql([]);
  });
});
