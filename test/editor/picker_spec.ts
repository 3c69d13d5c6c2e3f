/** Choosing on the drive in the real editor, with the local drive behind the account. More of it: picker_long. */
import 'should';
import { pickerFixture } from '../support/editor/picker-fixture';

describe('choosing on the drive', function () {
  this.timeout(60_000);
  const of = pickerFixture();

  it('keeps the file that was chosen: its id, and its path for show', async () => {
    await of.editor.openNode('download');
    await of.picker.open('file');
    await of.picker.expand('Backups', '2026');
    (await of.picker.take.isDisabled()).should.equal(true);
    await of.picker.expand('2026', 'backup 2026.tar.gz');
    const row = of.picker.row('backup 2026.tar.gz');
    (await row.innerText()).should.match(/12\.3\skB/);
    await row.click();
    (await of.picker.chosen.innerText()).should.equal('Chosen: /Backups/2026/backup 2026.tar.gz');
    await of.picker.choose('file');
    await of.editor.closeDialog('#node-dialog-ok');
    const saved = { file: of.archive, fileType: 'drive', filePath: '/Backups/2026/backup 2026.tar.gz' };
    (await of.editor.exported('download')).should.containEql(saved);
    await of.editor.openNode('download');
    const shown = of.editor.page.locator('#node-input-file + .red-ui-typedInput-container');
    (await shown.innerText()).trim().should.equal(saved.filePath);
    await of.editor.closeDialog('#node-dialog-ok');
    (await of.editor.exported('download')).should.containEql(saved);
  });

  it('chooses with the keyboard alone', async () => {
    await of.editor.openNode('upload');
    const { keyboard } = of.editor.page;
    await of.editor.page.locator('#cloud-drive-choose-folder').focus();
    await keyboard.press('Enter');
    await of.picker.row('Backups').waitFor();
    // From the search box into the tree, to the folder, into it, and to the one in it.
    await of.picker.search.press('ArrowDown');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await keyboard.press(key);
    await of.picker.row('2026').waitFor();
    await keyboard.press('ArrowDown');
    (await of.picker.chosen.innerText()).should.equal('Chosen: /Backups/2026');
    await keyboard.press('Control+Enter');
    await of.picker.area.waitFor({ state: 'detached' });
    await of.editor.page.locator('#cloud-drive-choose-folder:focus').waitFor();
    await of.editor.closeDialog('#node-dialog-ok');
    (await of.editor.exported('upload')).should.containEql({
      folderType: 'drive',
      folderPath: '/Backups/2026',
    });
  });

  it('shows what search files would find', async () => {
    await of.editor.openNode('search');
    const { page } = of.editor;
    // As a new node has them, both come with the message.
    await page.getByLabel('Folder, say').fill('/Backups/2026');
    await page.getByLabel('Name, say').fill('backup');
    await page.getByLabel('Name, say').press('Enter');
    const result = page.locator('#cloud-drive-test-result');
    await result.getByText('This one is found.').waitFor();
    (await result.getByRole('listitem').innerText()).should.match(/^backup 2026\.tar\.gz\s+12\.3\skB/);
    await of.editor.setTyped('text', { type: 'str', value: '^(backup' });
    (await page.getByLabel('Name, say').isVisible()).should.equal(false);
    await of.editor.field('match').selectOption('regex');
    await page.getByText('Not a regular expression: Unterminated group').waitFor();
    await of.editor.setTyped('text', { type: 'str', value: '^none' });
    await page.locator('#cloud-drive-test-start').click();
    await result.getByText('Nothing is found.').waitFor();
    // How Google finds names is told of Google alone.
    await of.editor.field('match').selectOption('contains');
    await page.locator('#cloud-drive-test-start').click();
    await result.getByText('Nothing is found.', { exact: true }).waitFor();
    await page.evaluate(() => {
      type Nodes = { nodes: { node(id: string): object } };
      const { RED } = globalThis as unknown as { RED: Nodes };
      Object.assign(RED.nodes.node('account'), { service: 'google' });
    });
    await page.locator('#cloud-drive-test-start').click();
    await result.getByText('Google finds only').waitFor();
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('writes nothing wrong into the console', () => {
    of.editor.errors.should.eql([]);
  });
});
