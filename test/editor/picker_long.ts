/** The drive picker with many files, markup in names, errors and new folders. */
import should from 'should';
import type { LocalDrive } from '../local-drive';
import { accountText } from '../support/languages';
import { pickerFixture } from '../support/editor/picker-fixture';

const MARKUP = '<img src=x onerror="window.hacked=true">';

describe('drive picker', function () {
  const fixture = pickerFixture(fillDrive);

  it('shows names that contain markup as text', async () => {
    await fixture.editor.openNode('delete');
    await fixture.picker.open('file');
    await fixture.picker.row(MARKUP).click();
    (await fixture.picker.chosen.innerText()).should.equal(`Selected: /${MARKUP}`);
    await fixture.picker.choose('file');
    await fixture.editor.closeDialog('#node-dialog-ok');
    await fixture.editor.openNode('delete');
    (await fixture.editor.page.locator('.cloud-drive-path').innerText()).should.equal(`/${MARKUP}`);
    await fixture.editor.closeDialog('#node-dialog-cancel');
    should(await fixture.editor.page.evaluate(() => 'hacked' in window)).equal(false);
  });

  it('lists 3,000 files page by page with the keyboard only', async () => {
    await fixture.editor.openNode('download');
    const { keyboard } = fixture.editor.page;
    await fixture.editor.page.locator('#cloud-drive-choose-file').focus();
    await keyboard.press('Enter');
    await fixture.picker.row('Many').waitFor();
    // From the search box to the folder in the tree, and expand it.
    await fixture.picker.search.press('ArrowDown');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await keyboard.press(key);
    // The first page of the service, and the “show more” row.
    const more = fixture.picker.rows.getByText('Show more…');
    await more.waitFor({ state: 'attached' });
    (await fixture.picker.rows.count()).should.equal(4 + 100 + 1);
    for (let step = 0; step < 101; step++) await keyboard.press('ArrowDown');
    await fixture.picker.row('entry 299').waitFor({ state: 'attached' });
    (await fixture.picker.chosen.innerText()).should.equal('Selected: /Many/entry 100');
    await keyboard.press('Control+Enter');
    await fixture.picker.area.waitFor({ state: 'detached' });
    await fixture.editor.page.locator('#cloud-drive-choose-file:focus').waitFor();
    await fixture.editor.closeDialog('#node-dialog-ok');
    (await fixture.editor.exported('download')).should.containEql({ filePath: '/Many/entry 100' });
  });

  it('finds files by name on the entire drive and shows their path', async () => {
    await fixture.editor.openNode('upload');
    await fixture.picker.open('folder');
    await fixture.picker.search.fill('2026');
    await fixture.picker.row('2026').click();
    await fixture.picker.chosen.getByText('/Backups/2026').waitFor();
    await fixture.picker.search.fill('nowhere');
    await fixture.picker.rows.getByText(accountText('browse.none_found')).waitFor();
    await fixture.picker.search.fill('');
    await fixture.picker.row('Backups').waitFor();
    await fixture.picker.cancel('folder');
    await fixture.editor.closeDialog('#node-dialog-cancel');
    should((await fixture.editor.exported('upload'))['folderType']).equal(undefined);
  });

  it('creates a folder in the selected one, and picks it', async () => {
    await fixture.editor.openNode('upload');
    await fixture.picker.open('folder');
    await fixture.picker.row('Backups').click();
    await fixture.picker.area.getByRole('button', { name: 'New folder' }).click();
    const name = fixture.picker.area.getByLabel('Folder name');
    await name.fill('a/b');
    await name.press('Enter');
    await fixture.picker.area.getByText('Enter a name without a slash.').waitFor();
    await name.fill('Fresh');
    await name.press('Enter');
    await fixture.picker.chosen.getByText('/Backups/Fresh').waitFor();
    await fixture.picker.choose('folder');
    await fixture.editor.closeDialog('#node-dialog-ok');
    const made = fixture.drive.files.in(fixture.backups).find((file) => file.name === 'Fresh');
    (await fixture.editor.exported('upload')).should.containEql({
      folder: made?.id,
      folderPath: '/Backups/Fresh',
    });
  });

  it('removes the note about an empty folder when a folder is created in it', async () => {
    await fixture.editor.openNode('upload');
    await fixture.picker.open('folder');
    await fixture.picker.expand('Backups', '2026');
    await fixture.picker.expand('2026', 'No subfolders');
    await fixture.picker.area.getByRole('button', { name: 'New folder' }).click();
    await fixture.picker.area.getByLabel('Folder name').fill('First');
    await fixture.picker.area.getByLabel('Folder name').press('Enter');
    await fixture.picker.chosen.getByText('/Backups/2026/First').waitFor();
    await fixture.picker.row('First').waitFor();
    (await fixture.picker.rows.getByText('No subfolders').count()).should.equal(0);
    await fixture.picker.cancel('folder');
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('can be closed, or start a search, while a page is loading', async () => {
    await fixture.editor.openNode('download');
    await fixture.picker.open('file');
    const more = fixture.picker.rows.getByText('Show more…');
    await fixture.picker.row('Many').click();
    await more.waitFor();
    for (const next of ['search', 'leave'] as const) {
      const late = await fixture.picker.delayNext();
      await more.click();
      await fixture.picker.rows.getByText('Loading…').waitFor();
      if (next === 'search') {
        await fixture.picker.search.fill('2026');
        await fixture.picker.row('2026').waitFor();
        await late();
        await fixture.picker.search.fill('');
        await fixture.picker.row('Many').click();
        await more.waitFor();
      } else {
        await fixture.picker.cancel('file');
        await late();
      }
    }
    await fixture.editor.closeDialog('#node-dialog-cancel');
    fixture.editor.errors.filter((error) => !error.includes('Failed to load resource')).should.eql([]);
  });

  it('closes only itself if Cancel is pressed twice', async () => {
    await fixture.editor.openNode('upload');
    await fixture.picker.open('folder');
    await fixture.editor.page.locator('#node-dialog-cancel').evaluate((button: HTMLElement) => {
      button.click();
      button.click();
    });
    await fixture.picker.area.waitFor({ state: 'detached' });
    await fixture.editor.page.locator('#cloud-drive-choose-folder:focus').waitFor();
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('shows errors and retries', async () => {
    fixture.drive.faults.add({
      kind: 'error',
      reason: 'insufficientPermissions',
      match: { path: /\/files$/ },
    });
    await fixture.editor.openNode('upload');
    await fixture.picker.open('folder');
    await fixture.picker.failure.getByText(accountText('errors.permission_denied_scope')).waitFor();
    await fixture.picker.area.getByRole('button', { name: 'Try again' }).click();
    await fixture.picker.row('Backups').waitFor();
    fixture.drive.faults.add({ kind: 'error', reason: 'notFound', match: { path: /\/files$/ } });
    await fixture.picker.row('Many').click();
    const failed = fixture.picker.rows.getByText('The file or folder was not found.');
    await failed.click();
    await fixture.picker.rows.getByText('No subfolders').waitFor();
    await fixture.picker.cancel('folder');
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('shows that the account is not signed in, not deployed or not selected', async () => {
    await fixture.editor.openNode('upload');
    for (const [account, said] of [
      ['signed-out', 'The account has no client ID.'],
      ['_ADD_', 'No account selected.'],
    ] as const) {
      await fixture.editor.field('account').selectOption(account);
      await fixture.picker.open('folder');
      await fixture.picker.failure.getByText(said).waitFor();
      await fixture.picker.cancel('folder');
    }
    await fixture.editor.addAccount();
    await fixture.editor.field('name', 'account').fill('New');
    await fixture.editor.closeDialog('#node-config-dialog-ok');
    await fixture.picker.open('folder');
    await fixture.picker.failure.getByText(accountText('errors.not_configured_not_deployed')).waitFor();
    await fixture.picker.cancel('folder');
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('keeps typed text and picked files apart when the type changes', async () => {
    await fixture.editor.openNode('download');
    await fixture.editor.setTyped('file', { type: 'msg', value: 'topic' });
    (await fixture.editor.page.locator('#node-input-filePath').inputValue()).should.equal('');
    await fixture.editor.setType('file', 'drive');
    (await fixture.editor.typed('file')).type.should.equal('drive');
    (await fixture.editor.page.locator('.cloud-drive-path').innerText()).should.equal('/Many/entry 100');
    await fixture.editor.setType('file', 'flow');
    should(await fixture.editor.typed('file')).eql({ type: 'flow', value: 'topic' });
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('logs no error in the console except rejected requests', () => {
    const rejected = /Failed to load resource: the server responded with a status of 4\d\d/;
    fixture.editor.errors.filter((error) => !rejected.test(error)).should.eql([]);
  });
});

async function fillDrive({ files }: LocalDrive): Promise<void> {
  await files.add({ name: MARKUP, content: 'x' });
  const many = await files.addFolder('Many');
  for (let index = 0; index < 3_000; index++) await files.add({ name: `entry ${index}`, parent: many });
}
