/** The hint about the account in a node's dialog, as after the import of an example next to a signed-in account. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { editorFixture } from '../support/editor/editor-fixture';
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
});
