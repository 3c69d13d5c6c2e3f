/**
 * From an empty account to the first result in the debug sidebar, in the real editor: the record pasted, the code
 * approved on the service's page, deployed, run, still there after a restart; and no secret where it must not be.
 */
import type { Browser } from 'playwright-core';
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT } from '../support/node-red/account';
import { decide, fillAccount, panel, signIn } from '../support/editor/account-dialog';
import { startBrowser } from '../support/editor/browser';
import { EditorPage } from '../support/editor/editor-page';
import { type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { storedCredentials } from '../support/node-red/stored-credentials';

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

/** Everything the editor's page holds: its nodes with what they would deploy, and the document with its fields. */
function heldByPage(editor: EditorPage): Promise<string> {
  return editor.page.evaluate(() => {
    const { RED } = globalThis as unknown as {
      RED: { nodes: Record<'createCompleteNodeSet' | 'eachConfig', (argument: unknown) => unknown> };
    };
    const credentials: unknown[] = [];
    RED.nodes.eachConfig((node: { credentials?: unknown }) => credentials.push(node.credentials));
    const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(
      ({ value }) => value,
    );
    const flows = RED.nodes.createCompleteNodeSet({ credentials: true });
    const stored = [{ ...localStorage }, { ...sessionStorage }, document.cookie];
    return JSON.stringify([flows, credentials, fields, stored]) + document.documentElement.outerHTML;
  });
}

describe('signing in in the editor', function () {
  this.timeout(60_000);
  let browser: Browser;
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

  after(async () => {
    await browser?.close();
    await nodeRed?.close();
    await drive?.close();
  });

  it('turns to signed in when the code is approved on the service’s page', async () => {
    await editor.openNode('about');
    await editor.addAccount();
    await fillAccount(editor, drive.url);
    const shown = await signIn(editor);
    shown.link.should.equal(`${drive.url}/device`);
    const waiting = panel(editor);
    (await waiting.locator('a').first().getAttribute('rel'))!.should.containEql('noopener');
    (await waiting.innerText()).should.match(/\d+:\d\d left/);
    await decide(browser, shown, 'approve');
    await waiting.getByText('Signed in as').waitFor();
    (await waiting.innerText()).should.containEql('user@local-drive.example');
  });

  it('gives the result to the debug sidebar after Done, Deploy and Inject', async () => {
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    await editor.run('inject');
    (await editor.debugMessage()).should.containEql('storageQuota');
  });

  it('keeps the tokens encrypted, and nowhere else', async () => {
    const [credentials] = Object.values(await storedCredentials(nodeRed));
    const { clientSecret, refreshToken, accessToken } = credentials!;
    clientSecret!.should.equal(CLIENT.secret);
    const secrets = [clientSecret!, refreshToken!, accessToken!];
    for (const secret of secrets) secret.length.should.be.above(10);

    const held = await heldByPage(editor);
    const memory = await editor.memory();
    for (const token of [refreshToken!, accessToken!]) memory.includes(token).should.equal(false);
    const flows = await nodeRed.file('flows.json');
    const encrypted = await nodeRed.file('flows_cred.json');
    for (const secret of secrets) {
      flows.should.not.containEql(secret);
      encrypted.should.not.containEql(secret);
      held.includes(secret).should.equal(false);
      const told = editor.responses.filter(({ body }) => body.includes(secret)).map(({ url }) => url);
      told.should.eql([]);
      nodeRed.log.filter((line) => line.includes(secret)).should.eql([]);
    }
  });

  it('has nothing secret in a dialog that is opened again', async () => {
    await editor.reload();
    await editor.openNode('about');
    await editor.openAccount();
    await panel(editor).getByText('Signed in as').waitFor();
    (await editor.field('clientId', 'account').inputValue()).should.equal(CLIENT.id);
    (await editor.field('clientSecret', 'account').inputValue()).should.equal('__PWRD__');
    const [credentials] = Object.values(await storedCredentials(nodeRed));
    const held = (await heldByPage(editor)) + (await editor.memory());
    for (const secret of ['clientSecret', 'refreshToken', 'accessToken']) {
      held.includes(credentials![secret]!).should.equal(false, secret);
    }
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
  });

  it('still works after a restart', async () => {
    // The port is another one then, so it is another page too.
    await nodeRed.restart();
    await editor.close();
    editor = await EditorPage.open(browser, nodeRed.url);
    await editor.run('inject');
    (await editor.debugMessage()).should.containEql('storageQuota');
  });

  it('signs out, and the node says so', async () => {
    const [before] = Object.values(await storedCredentials(nodeRed));
    await editor.openNode('about');
    await editor.openAccount();
    await panel(editor).getByText('Signed in as').waitFor();
    await panel(editor).getByRole('checkbox').check();
    await panel(editor).getByRole('button', { name: 'Sign out' }).click();
    await panel(editor).getByText('Signed out, and ended at the service').waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    await editor.status('about', 'not signed in');
    const [after] = Object.values(await storedCredentials(nodeRed));
    after!.should.not.have.property('refreshToken', before!['refreshToken']);
    drive.requests.all.filter(({ path }) => path === '/revoke').should.have.length(1);
  });

  it('leaves no error in the console', () => {
    editor.errors.should.eql([]);
  });
});
