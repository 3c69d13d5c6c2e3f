/** A new sign-in in the real editor, which the flows use after the next deploy and the editor uses at once. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { decide, fillAccount, panel, signIn } from '../support/editor/account-dialog';
import { PickerPage } from '../support/editor/drive-picker';
import { editorFixture } from '../support/editor/editor-fixture';
import { CLIENT } from '../support/node-red/account';
import { accountText } from '../support/languages';
import { itLong } from '../support/run/long';

const NODE = { z: 'tab', account: '', x: 300, wires: [[]] };
const FLOW = [
  { id: 'tab', type: 'tab', label: 'test' },
  { ...NODE, id: 'download', type: 'cloud-drive-download', y: 80 },
  { ...NODE, id: 'search', type: 'cloud-drive-search-files', y: 160 },
];

describe('a sign-in that isn’t deployed yet', () => {
  let drive: LocalDrive;
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1 });
    const folder = await drive.files.addFolder('Backups');
    await drive.files.add({ name: 'backup 2026.tar.gz', parent: folder, content: 'x' });
  });
  after(() => drive?.close());
  const fixture = editorFixture(() => FLOW);

  it('is used by the connection test in the account’s dialog', async () => {
    const { editor } = fixture;
    await editor.openNode('download');
    await editor.addAccount();
    await fillAccount(editor, drive.url);
    await decide(await signIn(editor), 'approve');
    await panel(editor).getByText('Signed in as').waitFor();
    await panel(editor).getByRole('button', { name: 'Test connection' }).click();
    await panel(editor).getByText(accountText('panel.works')).waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
  });

  itLong('is used by the drive picker', async () => {
    const { editor } = fixture;
    const picker = new PickerPage(editor);
    await picker.open('file');
    await picker.expand('Backups', 'backup 2026.tar.gz');
    await picker.row('backup 2026.tar.gz').click();
    await picker.choose('file');
    await editor.closeDialog('#node-dialog-ok');
    (await editor.exported('download')).should.containEql({ filePath: '/Backups/backup 2026.tar.gz' });
  });

  itLong('is used by the search test', async () => {
    const { editor } = fixture;
    await editor.openNode('search');
    await editor.field('account').selectOption({ label: 'Local' });
    await editor.openSections();
    await editor.setTyped('folder', { type: 'str', value: '/Backups' });
    await editor.setTyped('text', { type: 'str', value: 'backup' });
    await editor.page.locator('#cloud-drive-test-start').click();
    await editor.page.locator('#cloud-drive-test-result').getByText('1 match.').waitFor();
    await editor.closeDialog('#node-dialog-ok');
  });

  it('has changed no deployed flow', async () => {
    (await fixture.nodeRed.file('flows.json')).should.not.containEql('cloud-drive-account');
    fixture.editor.errors.should.eql([]);
  });
});
