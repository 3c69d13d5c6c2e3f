/** An account that was granted fewer scopes than it requests, in a real Node-RED. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { panel } from '../support/editor/account-dialog';
import { type SpecBrowser, startBrowser } from '../support/editor/browser';
import { EditorPage } from '../support/editor/editor-page';
import { accountText } from '../support/languages';
import { type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { closeAll } from '../support/close-all';

const READONLY = 'https://www.googleapis.com/auth/drive.readonly';

describe('an account with missing scopes', () => {
  let browser: SpecBrowser;
  let drive: LocalDrive;
  let nodeRed: NodeRed;

  before(async () => {
    drive = await startLocalDrive({
      clients: [{ ...CLIENT }],
      refreshToken: REFRESH_TOKEN,
      scope: READONLY,
    });
    nodeRed = await startNodeRed();
    await nodeRed.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      {
        ...{ id: 'account', type: 'cloud-drive-account', name: 'Backups', credentials: { ...CREDENTIALS } },
        ...customAccount(drive.url),
      },
      {
        ...{ id: 'about', type: 'cloud-drive-about', z: 'tab', x: 340, y: 80, wires: [['out']] },
        account: 'account',
      },
      { id: 'out', type: 'test-output', z: 'tab', x: 560, y: 80, wires: [] },
    ]);
    browser = await startBrowser();
  });

  after(() => closeAll(browser, nodeRed, drive));

  it('logs the missing scopes once', async () => {
    const warnings = (): string[] => nodeRed.log.filter((line) => /wasn't granted all the access/.test(line));
    nodeRed.receive('about');
    await nodeRed.outputs('out');
    drive.expireAccessTokens();
    nodeRed.receive('about');
    await nodeRed.outputs('out', 2);
    warnings().should.have.length(1);
    warnings()[0]!.should.containEql('“Backups”').and.containEql('/drive.file.');
  });

  it('shows the missing scopes in its dialog', async () => {
    const editor = await EditorPage.open(browser, nodeRed.url);
    await editor.openNode('about');
    await editor.openAccount();
    const message = panel(editor).getByText(accountText('panel.missing_scopes'));
    await message.waitFor();
    (await message.innerText()).should.containEql('/drive.file.');
    editor.errors.should.eql([]);
  });
});
