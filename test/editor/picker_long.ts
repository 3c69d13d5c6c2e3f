/** Choosing on the drive: many entries, names that are markup, refusals, new folders. */
import should from 'should';
import type { LocalDrive } from '../local-drive';
import { pickerFixture } from '../support/editor/picker-fixture';

const HOSTILE = '<img src=x onerror="window.hacked=true">';

describe('choosing on the drive, at length', function () {
  this.timeout(60_000);
  const of = pickerFixture(fillDrive);

  it('lists names as text, whatever is in them', async () => {
    await of.editor.openNode('delete');
    await of.picker.open('file');
    await of.picker.row(HOSTILE).click();
    (await of.picker.chosen.innerText()).should.equal(`Chosen: /${HOSTILE}`);
    await of.picker.choose('file');
    await of.editor.closeDialog('#node-dialog-ok');
    await of.editor.openNode('delete');
    (await of.editor.page.locator('.cloud-drive-path').innerText()).should.equal(`/${HOSTILE}`);
    await of.editor.closeDialog('#node-dialog-cancel');
    should(await of.editor.page.evaluate(() => 'hacked' in window)).equal(false);
  });

  it('shows 3,000 entries a page at a time, with the keyboard alone', async () => {
    await of.editor.openNode('download');
    const { keyboard } = of.editor.page;
    await of.editor.page.locator('#cloud-drive-choose-file').focus();
    await keyboard.press('Enter');
    await of.picker.row('Many').waitFor();
    // From the search box into the tree, to the folder and into it.
    await of.picker.search.press('ArrowDown');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await keyboard.press(key);
    // The service's own first page, and the row that asks for more.
    const more = of.picker.rows.getByText('Show more…');
    await more.waitFor({ state: 'attached' });
    (await of.picker.rows.count()).should.equal(4 + 100 + 1);
    for (let step = 0; step < 101; step++) await keyboard.press('ArrowDown');
    await of.picker.row('entry 299').waitFor({ state: 'attached' });
    (await of.picker.chosen.innerText()).should.equal('Chosen: /Many/entry 100');
    await keyboard.press('Control+Enter');
    await of.picker.area.waitFor({ state: 'detached' });
    await of.editor.page.locator('#cloud-drive-choose-file:focus').waitFor();
    await of.editor.closeDialog('#node-dialog-ok');
    (await of.editor.exported('download')).should.containEql({ filePath: '/Many/entry 100' });
  });

  it('finds by name on the whole drive, and tells where it lies', async () => {
    await of.editor.openNode('upload');
    await of.picker.open('folder');
    await of.picker.search.fill('2026');
    await of.picker.row('2026').click();
    await of.picker.chosen.getByText('/Backups/2026').waitFor();
    await of.picker.search.fill('nowhere');
    await of.picker.rows.getByText('Nothing of that name is found').waitFor();
    await of.picker.search.fill('');
    await of.picker.row('Backups').waitFor();
    await of.picker.cancel('folder');
    await of.editor.closeDialog('#node-dialog-cancel');
    should((await of.editor.exported('upload'))['folderType']).equal(undefined);
  });

  it('makes a folder where one is looking, and chooses it', async () => {
    await of.editor.openNode('upload');
    await of.picker.open('folder');
    await of.picker.row('Backups').click();
    await of.picker.area.getByRole('button', { name: 'New folder' }).click();
    const name = of.picker.area.getByLabel('Its name');
    await name.fill('a/b');
    await name.press('Enter');
    await of.picker.area.getByText('A folder needs a name, without a slash in it.').waitFor();
    await name.fill('Fresh');
    await name.press('Enter');
    await of.picker.chosen.getByText('/Backups/Fresh').waitFor();
    await of.picker.choose('folder');
    await of.editor.closeDialog('#node-dialog-ok');
    const made = of.drive.files.in(of.backups).find((file) => file.name === 'Fresh');
    (await of.editor.exported('upload')).should.containEql({
      folder: made?.id,
      folderPath: '/Backups/Fresh',
    });
  });

  it('no longer says of a folder that nothing is in it when one was made there', async () => {
    await of.editor.openNode('upload');
    await of.picker.open('folder');
    await of.picker.expand('Backups', '2026');
    await of.picker.expand('2026', 'No folders in it');
    await of.picker.area.getByRole('button', { name: 'New folder' }).click();
    await of.picker.area.getByLabel('Its name').fill('First');
    await of.picker.area.getByLabel('Its name').press('Enter');
    await of.picker.chosen.getByText('/Backups/2026/First').waitFor();
    await of.picker.row('First').waitFor();
    (await of.picker.rows.getByText('No folders in it').count()).should.equal(0);
    await of.picker.cancel('folder');
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('can be left, or search for something else, while a page is under way', async () => {
    await of.editor.openNode('download');
    await of.picker.open('file');
    const more = of.picker.rows.getByText('Show more…');
    await of.picker.row('Many').click();
    await more.waitFor();
    for (const next of ['search', 'leave'] as const) {
      const late = await of.picker.delayNext();
      await more.click();
      await of.picker.rows.getByText('Loading…').waitFor();
      if (next === 'search') {
        await of.picker.search.fill('2026');
        await of.picker.row('2026').waitFor();
        await late();
        await of.picker.search.fill('');
        await of.picker.row('Many').click();
        await more.waitFor();
      } else {
        await of.picker.cancel('file');
        await late();
      }
    }
    await of.editor.closeDialog('#node-dialog-cancel');
    of.editor.errors.filter((error) => !error.includes('Failed to load resource')).should.eql([]);
  });

  it('closes itself alone, however often Cancel is pressed', async () => {
    await of.editor.openNode('upload');
    await of.picker.open('folder');
    await of.editor.page.locator('#node-dialog-cancel').evaluate((button: HTMLElement) => {
      button.click();
      button.click();
    });
    await of.picker.area.waitFor({ state: 'detached' });
    await of.editor.page.locator('#cloud-drive-choose-folder:focus').waitFor();
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('says what is wrong, and tries again', async () => {
    of.drive.faults.add({ kind: 'error', reason: 'insufficientPermissions', match: { path: /\/files$/ } });
    await of.editor.openNode('upload');
    await of.picker.open('folder');
    await of.picker.failure.getByText('The sign-in is not allowed to do this.').waitFor();
    await of.picker.area.getByRole('button', { name: 'Try again' }).click();
    await of.picker.row('Backups').waitFor();
    of.drive.faults.add({ kind: 'error', reason: 'notFound', match: { path: /\/files$/ } });
    await of.picker.row('Many').click();
    const failed = of.picker.rows.getByText("The service doesn't find this file or folder");
    await failed.click();
    await of.picker.rows.getByText('No folders in it').waitFor();
    await of.picker.cancel('folder');
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('says that nobody is signed in, that the account is not deployed, and that there is none', async () => {
    await of.editor.openNode('upload');
    for (const [account, said] of [
      ['signed-out', 'The account has no client ID.'],
      ['_ADD_', 'No account is chosen.'],
    ] as const) {
      await of.editor.field('account').selectOption(account);
      await of.picker.open('folder');
      await of.picker.failure.getByText(said).waitFor();
      await of.picker.cancel('folder');
    }
    await of.editor.addAccount();
    await of.editor.field('name', 'account').fill('New');
    await of.editor.closeDialog('#node-config-dialog-ok');
    await of.picker.open('folder');
    await of.picker.failure.getByText('Press Deploy, then open this again.').waitFor();
    await of.picker.cancel('folder');
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('keeps what was typed apart from what was chosen', async () => {
    await of.editor.openNode('download');
    await of.editor.setTyped('file', { type: 'msg', value: 'topic' });
    (await of.editor.page.locator('#node-input-filePath').inputValue()).should.equal('');
    await of.editor.setType('file', 'drive');
    (await of.editor.typed('file')).type.should.equal('drive');
    (await of.editor.page.locator('.cloud-drive-path').innerText()).should.equal('/Many/entry 100');
    await of.editor.setType('file', 'flow');
    should(await of.editor.typed('file')).eql({ type: 'flow', value: 'topic' });
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('writes nothing wrong into the console', () => {
    const refused = /Failed to load resource: the server responded with a status of 4\d\d/;
    of.editor.errors.filter((error) => !refused.test(error)).should.eql([]);
  });
});

async function fillDrive({ files }: LocalDrive): Promise<void> {
  await files.add({ name: HOSTILE, content: 'x' });
  const many = await files.addFolder('Many');
  for (let index = 0; index < 3_000; index++) await files.add({ name: `entry ${index}`, parent: many });
}
