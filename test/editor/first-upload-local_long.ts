/** The clicks to a first file on the local drive, with a new account and with one that is signed in already. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { clientJson, decide, panel, signIn } from '../support/editor/account-dialog';
import { type SpecBrowser, startBrowser } from '../support/editor/browser';
import { sharedFlows, sharedNodeRed } from '../support/node-red/shared-node-red';
import { EditorPage } from '../support/editor/editor-page';
import { FirstUpload } from '../support/editor/first-upload';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { type NodeRed } from '../support/node-red/node-red';
import { closeAll } from '../support/close-all';

const MAX_CLICKS = 12;
const MAX_CLICKS_PREPARED = 10;
/** The node's dialog is opened with one click and Enter in place of a double click. */
const SECOND_CLICK = 1;

describe('a first upload to the local drive', () => {
  let browser: SpecBrowser;
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let editor: EditorPage;
  let user: FirstUpload;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN, interval: 1 });
    [nodeRed, browser] = await Promise.all([sharedNodeRed(), startBrowser()]);
  });
  beforeEach(async () => {
    editor = await EditorPage.open(browser, nodeRed.url);
    user = await FirstUpload.start(editor);
  });
  afterEach(() => editor.close());
  after(() => closeAll(browser, sharedFlows, drive));

  it(`a new account takes at most ${MAX_CLICKS} clicks`, async () => {
    await user.placeNodes();
    await user.openDialog();
    await editor.addAccount();
    await user.pasteClientJson(clientJson(drive.url));
    // The button that uses the client's service has the focus, and then the scope.
    await editor.page.locator('button:focus', { hasText: new URL(drive.url).host }).waitFor();
    await editor.page.keyboard.press('Enter');
    await editor.page.locator('#node-config-input-scope:focus').waitFor();
    await editor.page.keyboard.type('https://www.googleapis.com/auth/drive.file');
    await decide(await signIn(editor), 'approve');
    await panel(editor).getByText('Signed in as').waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
    await user.uploadAs('new.txt');
    drive.files.names('root').should.containEql('new.txt');
    ((await user.presses()) + SECOND_CLICK).should.be.belowOrEqual(MAX_CLICKS);
  });

  it(`a prepared account takes at most ${MAX_CLICKS_PREPARED} clicks, because it is preselected`, async () => {
    const account = { id: 'account', type: 'cloud-drive-account', ...customAccount(drive.url) };
    await nodeRed.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { ...account, credentials: { ...CREDENTIALS } },
    ]);
    await editor.reload();
    user = await FirstUpload.start(editor);
    await user.placeNodes();
    await user.openDialog();
    (await editor.field('account').inputValue()).should.equal('account');
    await user.uploadAs('prepared.txt');
    drive.files.names('root').should.containEql('prepared.txt');
    ((await user.presses()) + SECOND_CLICK).should.be.belowOrEqual(MAX_CLICKS_PREPARED);
  });
});
