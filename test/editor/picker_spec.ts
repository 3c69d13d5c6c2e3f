/** The drive picker in the real editor, with the local drive as the service. See also picker_long. */
import 'should';
import { pickerFixture } from '../support/editor/picker-fixture';

describe('drive picker', () => {
  const fixture = pickerFixture();

  it('stores the id of the picked file, and its path for display', async () => {
    await fixture.editor.openNode('download');
    await fixture.picker.open('file');
    await fixture.picker.expand('Backups', '2026');
    (await fixture.picker.okButton.isDisabled()).should.equal(true);
    await fixture.picker.expand('2026', 'backup 2026.tar.gz');
    const row = fixture.picker.row('backup 2026.tar.gz');
    (await row.innerText()).should.match(/12\.3\skB/);
    await row.click();
    (await fixture.picker.chosen.innerText()).should.equal('Selected: /Backups/2026/backup 2026.tar.gz');
    await fixture.picker.choose('file');
    await fixture.editor.closeDialog('#node-dialog-ok');
    const saved = { file: fixture.archive, fileType: 'drive', filePath: '/Backups/2026/backup 2026.tar.gz' };
    (await fixture.editor.exported('download')).should.containEql(saved);
    await fixture.editor.openNode('download');
    const shown = fixture.editor.page.locator('#node-input-file + .red-ui-typedInput-container');
    (await shown.innerText()).trim().should.equal(saved.filePath);
    await fixture.editor.closeDialog('#node-dialog-ok');
    (await fixture.editor.exported('download')).should.containEql(saved);
  });

  it('picks a folder with the keyboard only', async () => {
    await fixture.editor.openNode('upload');
    const { keyboard } = fixture.editor.page;
    await fixture.editor.page.locator('#cloud-drive-choose-folder').focus();
    await keyboard.press('Enter');
    await fixture.picker.row('Backups').waitFor();
    // From the search box to the folder in the tree, expand it, and move to the folder in it.
    await fixture.picker.search.press('ArrowDown');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await keyboard.press(key);
    await fixture.picker.row('2026').waitFor();
    await keyboard.press('ArrowDown');
    (await fixture.picker.chosen.innerText()).should.equal('Selected: /Backups/2026');
    await keyboard.press('Control+Enter');
    await fixture.picker.area.waitFor({ state: 'detached' });
    await fixture.editor.page.locator('#cloud-drive-choose-folder:focus').waitFor();
    await fixture.editor.closeDialog('#node-dialog-ok');
    (await fixture.editor.exported('upload')).should.containEql({
      folderType: 'drive',
      folderPath: '/Backups/2026',
    });
  });

  it('tests the search of a search-files node', async () => {
    await fixture.editor.openNode('search');
    await fixture.editor.openSections();
    const { page } = fixture.editor;
    // In a new node, the message supplies both values.
    await page.getByLabel('Example folder').fill('/Backups/2026');
    await page.getByLabel('Example text').fill('backup');
    await page.getByLabel('Example text').press('Enter');
    const result = page.locator('#cloud-drive-test-result');
    await result.getByText('1 match.').waitFor();
    (await result.getByRole('listitem').innerText()).should.match(/^backup 2026\.tar\.gz\s+12\.3\skB/);
    await fixture.editor.setTyped('text', { type: 'str', value: '^(backup' });
    (await page.getByLabel('Example text').isVisible()).should.equal(false);
    await fixture.editor.field('match').selectOption('regex');
    await page.getByText('Not a valid regular expression: Unterminated group').waitFor();
    await fixture.editor.setTyped('text', { type: 'str', value: '^none' });
    await page.locator('#cloud-drive-test-start').click();
    await result.getByText('No matches.').waitFor();
    // The note on Google's name matching is shown only for Google Drive, and only for searches without a folder.
    await fixture.editor.setTyped('folder', { type: 'str', value: '' });
    await fixture.editor.field('match').selectOption('contains');
    await page.locator('#cloud-drive-test-start').click();
    await result.getByText('No matches.', { exact: true }).waitFor();
    await page.evaluate(() => Object.assign(RED.nodes.node('account'), { service: 'google' }) && undefined);
    await page.locator('#cloud-drive-test-start').click();
    await result.getByText("Google's own search only finds").waitFor();
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });
});
