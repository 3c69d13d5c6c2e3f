/**
 * The device flow in the real editor, from an empty account to the first result in the debug sidebar and after a restart.
 * No secret may appear in the browser, the flow file or the log.
 */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT } from '../support/node-red/account';
import { decide, fillAccount, panel, signIn } from '../support/editor/account-dialog';
import { type SpecBrowser, startBrowser } from '../support/editor/browser';
import { EditorPage } from '../support/editor/editor-page';
import { type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { storedCredentials } from '../support/node-red/stored-credentials';
import { closeAll } from '../support/close-all';

const FLOW = [
  { id: 'tab', type: 'tab', label: 'test' },
  {
    ...{ id: 'inject', type: 'inject', z: 'tab', x: 120, y: 80, wires: [['about']] },
    ...{ props: [{ p: 'payload' }], payload: 'go', payloadType: 'str', repeat: '', once: false },
  },
  { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 340, y: 80, account: '', wires: [['debug']] },
  {
    ...{ id: 'debug', type: 'debug', z: 'tab', x: 560, y: 80, wires: [] },
    ...{ active: true, tosidebar: true, complete: 'payload', targetType: 'msg' },
  },
];

/** Everything in the editor's page: nodes with their credentials, storage, and the document with its fields. */
function pageContents(editor: EditorPage): Promise<string> {
  return editor.page.evaluate(() => {
    const credentials: unknown[] = [];
    RED.nodes.eachConfig((node) => credentials.push(node.credentials));
    const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(
      ({ value }) => value,
    );
    const flows = RED.nodes.createCompleteNodeSet({ credentials: true });
    const stored = [{ ...localStorage }, { ...sessionStorage }, document.cookie];
    return JSON.stringify([flows, credentials, fields, stored]) + document.documentElement.outerHTML;
  });
}

describe('device flow in the editor', () => {
  let browser: SpecBrowser;
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let editor: EditorPage;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1 });
    nodeRed = await startNodeRed();
    await nodeRed.deploy(FLOW);
    browser = await startBrowser();
    editor = await EditorPage.open(browser, nodeRed.url);
  });

  after(() => closeAll(browser, nodeRed, drive));

  it('shows the signed-in user when the user code is approved', async () => {
    await editor.openNode('about');
    await editor.addAccount();
    await fillAccount(editor, drive.url);
    const instructions = await signIn(editor);
    instructions.link.should.equal(`${drive.url}/device`);
    const waiting = panel(editor);
    (await waiting.locator('a').first().getAttribute('rel'))!.should.containEql('noopener');
    (await waiting.innerText()).should.match(/\d+:\d\d left/);
    await decide(instructions, 'approve');
    await waiting.getByText('Signed in as').waitFor();
    (await waiting.innerText()).should.containEql('user@local-drive.example');
  });

  it('shows the result in the debug sidebar after Done, Deploy and Inject', async () => {
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    await editor.inject('inject');
    (await editor.debugMessage()).should.containEql('storageQuota');
  });

  it('stores the tokens only in the encrypted credentials file', async () => {
    const [credentials] = Object.values(await storedCredentials(nodeRed));
    const { clientSecret, refreshToken, accessToken } = credentials!;
    clientSecret!.should.equal(CLIENT.secret);
    const secrets = [clientSecret!, refreshToken!, accessToken!];
    for (const secret of secrets) secret.length.should.be.above(10);

    const contents = await pageContents(editor);
    const memory = await editor.memory();
    for (const token of [refreshToken!, accessToken!]) memory.includes(token).should.equal(false);
    const flows = await nodeRed.file('flows.json');
    const encrypted = await nodeRed.file('flows_cred.json');
    for (const secret of secrets) {
      flows.should.not.containEql(secret);
      encrypted.should.not.containEql(secret);
      contents.includes(secret).should.equal(false);
      const responses = await editor.allResponses();
      const leaks = responses.filter(({ body }) => body.includes(secret)).map(({ url }) => url);
      leaks.should.eql([]);
      nodeRed.log.filter((line) => line.includes(secret)).should.eql([]);
    }
  });

  it('is still signed in after a restart', async () => {
    // The port changes, so the page has to be opened again.
    await nodeRed.restart();
    await editor.close();
    editor = await EditorPage.open(browser, nodeRed.url);
    await editor.inject('inject');
    (await editor.debugMessage()).should.containEql('storageQuota');
  });

  it('sends no secret to a dialog that is reopened', async () => {
    await editor.openNode('about');
    await editor.openAccount();
    await panel(editor).getByText('Signed in as').waitFor();
    (await editor.field('clientId', 'account').inputValue()).should.equal(CLIENT.id);
    (await editor.field('clientSecret', 'account').inputValue()).should.equal('__PWRD__');
    const [credentials] = Object.values(await storedCredentials(nodeRed));
    const received = (await editor.allResponses()).map(({ body }) => body);
    const contents = (await pageContents(editor)) + received.join('\n');
    for (const secret of ['clientSecret', 'refreshToken', 'accessToken']) {
      contents.includes(credentials![secret]!).should.equal(false, secret);
    }
  });

  it('signs out and revokes access, and the node shows it', async () => {
    const [before] = Object.values(await storedCredentials(nodeRed));
    await panel(editor).getByRole('checkbox').check();
    await panel(editor).getByRole('button', { name: 'Sign out' }).click();
    await panel(editor).getByText('Signed out and access revoked').waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    await editor.status('about', 'not signed in');
    const [after] = Object.values(await storedCredentials(nodeRed));
    after!.should.not.have.property('refreshToken', before!['refreshToken']);
    drive.requests.all.filter(({ path }) => path === '/revoke').should.have.length(1);
  });
});
