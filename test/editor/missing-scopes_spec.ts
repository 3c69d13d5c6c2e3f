/** An account that was granted fewer scopes than it requests, in a real Node-RED. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { panel } from '../support/editor/account-dialog';
import { editorFixture } from '../support/editor/editor-fixture';
import { accountText } from '../support/languages';

const READONLY = 'https://www.googleapis.com/auth/drive.readonly';

describe('an account with missing scopes', () => {
  let drive: LocalDrive;

  before(async () => {
    drive = await startLocalDrive({
      clients: [{ ...CLIENT }],
      refreshToken: REFRESH_TOKEN,
      scope: READONLY,
    });
  });
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    {
      ...{ id: 'account', type: 'cloud-drive-account', name: 'Backups', credentials: { ...CREDENTIALS } },
      ...customAccount(drive.url),
    },
    {
      ...{ id: 'about', type: 'cloud-drive-about', z: 'tab', x: 340, y: 80, wires: [['scopes-out']] },
      account: 'account',
    },
    { id: 'scopes-out', type: 'test-output', z: 'tab', x: 560, y: 80, wires: [] },
  ]);
  after(() => drive?.close());

  it('logs the missing scopes once', async () => {
    const { nodeRed } = fixture;
    const warnings = (): string[] => nodeRed.log.filter((line) => /wasn't granted all the access/.test(line));
    nodeRed.receive('about');
    await nodeRed.outputs('scopes-out');
    drive.expireAccessTokens();
    nodeRed.receive('about');
    await nodeRed.outputs('scopes-out', 2);
    warnings().should.have.length(1);
    warnings()[0]!.should.containEql('“Backups”').and.containEql('/drive.file.');
  });

  it('shows the missing scopes in its dialog', async () => {
    const { editor } = fixture;
    await editor.openNode('about');
    await editor.openAccount();
    const message = panel(editor).getByText(accountText('panel.missing_scopes'));
    await message.waitFor();
    (await message.innerText()).should.containEql('/drive.file.');
    editor.errors.should.eql([]);
  });
});
