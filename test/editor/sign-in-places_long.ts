/** Signing in wherever Node-RED and its editor may be: where people log in, under another root, behind a proxy, offline for news. */
import type { Browser } from 'playwright-core';
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, customAccount } from '../support/node-red/account';
import {
  decide,
  decideInBrowser,
  fillAccount,
  panel,
  signIn,
  signInByBrowser,
} from '../support/editor/account-dialog';
import { startBrowser } from '../support/editor/browser';
import { EditorPage } from '../support/editor/editor-page';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { type PathProxy, startPathProxy } from '../support/http/path-proxy';
import { storedCredentials } from '../support/node-red/stored-credentials';

const FULL = 'https://www.googleapis.com/auth/drive';
/** bcrypt of "pass". */
const HASH = '$2b$04$y5d/SCxwDEr0oNSiOLVAO.HhmXin.MXRIKREQBoiwlod8zznIQkd6';
const ADMIN_AUTH = {
  type: 'credentials',
  users: [
    { username: 'editor', password: HASH, permissions: '*' },
    { username: 'reader', password: HASH, permissions: 'read' },
  ],
};
const TAB: DeployedNode = { id: 'tab', type: 'tab', label: 'test' };
const ABOUT: DeployedNode = { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 300, y: 80, wires: [[]] };

describe('signing in', function () {
  this.timeout(60_000);
  let browser: Browser;
  let drive: LocalDrive;
  let nodeRed: NodeRed | undefined;
  let proxy: PathProxy | undefined;
  const editors: EditorPage[] = [];

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1 });
    browser = await startBrowser();
  });
  afterEach(async () => {
    for (const editor of editors.splice(0)) await editor.close();
    await proxy?.close();
    await nodeRed?.close();
    proxy = undefined;
    nodeRed = undefined;
  });
  after(async () => {
    await browser?.close();
    await drive?.close();
  });

  const started = async (settings: Record<string, unknown> = {}, flow = [TAB, { ...ABOUT, account: '' }]) => {
    nodeRed = await startNodeRed({ settings });
    if (settings['adminAuth'] !== undefined) await nodeRed.logIn('editor', 'pass');
    await nodeRed.deploy(flow);
    return nodeRed;
  };
  const opened = async (url: string, username?: string): Promise<EditorPage> => {
    const logIn = username === undefined ? {} : { logIn: { username, password: 'pass' } };
    const editor = await EditorPage.open(browser, url, logIn);
    editors.push(editor);
    await editor.openNode('about');
    return editor;
  };
  const newAccount = async (editor: EditorPage): Promise<void> => {
    await editor.addAccount();
    await fillAccount(editor, drive.url);
  };
  const deployedAccount = (): DeployedNode => {
    const credentials = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
    return { id: 'account', type: 'cloud-drive-account', ...customAccount(drive.url), credentials };
  };
  const signedIn = (editor: EditorPage) => panel(editor).getByText('Signed in as').waitFor();

  /** Both ways, one after the other, to the end that the credentials are stored. */
  const bothWays = async (editor: EditorPage, at: string): Promise<void> => {
    await newAccount(editor);
    await decide(browser, await signIn(editor), 'approve');
    await signedIn(editor);
    await panel(editor).getByRole('button', { name: 'Sign in as someone else' }).click();
    await editor.page.locator('#cloud-drive-step-scope').getByRole('button', { name: 'Change' }).click();
    await editor.field('scope', 'account').fill(FULL);
    const { address, title } = await decideInBrowser(browser, await signInByBrowser(editor, 'back'));
    title.should.equal('Signed in');
    address.should.startWith(`${at}/cloud-drive-account/callback?`);
    await panel(editor).getByText('The whole drive (drive)').waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    Object.values(await storedCredentials(nodeRed!))[0]!.should.have.property('refreshToken');
    // Before somebody is logged in, the browser itself tells of what was refused.
    editor.errors.filter((error) => !error.includes('status of 401')).should.eql([]);
  };

  it('works where people log in, both ways; a reader is told what they lack', async () => {
    const { url } = await started({ adminAuth: ADMIN_AUTH });
    await bothWays(await opened(url, 'editor'), url);
    const reader = await opened(url, 'reader');
    await reader.openAccount();
    await signedIn(reader);
    await panel(reader).getByRole('button', { name: 'Sign out' }).click();
    await panel(reader).getByText('log in to Node-RED with write permission').waitFor();
    await signedIn(reader);
  });

  it('works under another root', async () => {
    const { url } = await started({ httpAdminRoot: '/some/where' });
    url.should.endWith('/some/where');
    await bothWays(await opened(url), url);
  });

  for (const host of ['kept', 'forwarded'] as const) {
    it(`works behind a proxy with a path of its own, the Host ${host}`, async () => {
      const { url } = await started({ httpAdminRoot: '/red' });
      proxy = await startPathProxy(url.replace(/\/red$/, ''), '/far/away', host);
      const at = `${proxy.url}/red`;
      await bothWays(await opened(at), at);
    });
  }

  it('works where no news come through, by asking every so often', async () => {
    const { url } = await started({}, [TAB, { ...ABOUT, account: 'account' }, deployedAccount()]);
    const editor = await opened(url);
    await editor.page.evaluate(() => {
      const { RED } = globalThis as unknown as { RED: { comms: { subscribe: unknown } } };
      RED.comms.subscribe = () => undefined;
    });
    await editor.openAccount();
    await decide(browser, await signIn(editor), 'approve');
    await signedIn(editor);
  });

  it('is shown in an account that is not deployed, after its dialog was closed with Done meanwhile', async () => {
    const { url } = await started();
    const editor = await opened(url);
    await newAccount(editor);
    const shown = await signIn(editor);
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.openAccount();
    await panel(editor).locator('.cloud-drive-code').getByText(shown.code.slice(0, 4)).waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
    await decide(browser, shown, 'approve');
    await editor.page.locator('.red-ui-notification').getByText('is signed in').waitFor();
    await editor.openAccount();
    await signedIn(editor);
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    Object.values(await storedCredentials(nodeRed!))[0]!.should.have.property('refreshToken');
  });

  it('is given up with Cancel, and taken over by a second editor', async () => {
    const { url } = await started({}, [TAB, { ...ABOUT, account: 'account' }, deployedAccount()]);
    const [first, second] = [await opened(url), await opened(url)];
    await first.openAccount();
    await second.openAccount();
    await signIn(first);
    await panel(second).getByText('in another editor just now').waitFor();
    const shown = await signIn(second);
    await panel(first).getByText('Cancelled', { exact: true }).waitFor();
    await decide(browser, shown, 'approve');
    await signedIn(second);
    await signedIn(first);
    await first.closeDialog('#node-config-dialog-cancel');
    await panel(second).getByRole('button', { name: 'Sign out' }).click();
    await panel(second).getByText('Signed out', { exact: true }).waitFor();
    await first.openAccount();
    await panel(first).getByText('Not signed in yet').waitFor();
  });

  it('is there for the nodes of a subflow, and stays after a restart', async () => {
    const flow: DeployedNode[] = [
      TAB,
      { id: 'sub', type: 'subflow', name: 'sub', in: [], out: [] },
      { ...ABOUT, z: 'sub', account: 'account' },
      { ...deployedAccount(), z: 'sub' },
      ...[80, 160].map((y) => ({ id: `instance${y}`, type: 'subflow:sub', z: 'tab', x: 300, y, wires: [] })),
    ];
    const { url } = await started({}, flow);
    const editor = await EditorPage.open(browser, url);
    editors.push(editor);
    await editor.show('sub');
    await editor.openNode('about');
    await editor.openAccount();
    await decide(browser, await signIn(editor), 'approve');
    await signedIn(editor);
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    await nodeRed!.restart();
    const again = await EditorPage.open(browser, nodeRed!.url);
    editors.push(again);
    await again.show('sub');
    await again.openNode('about');
    await again.openAccount();
    await signedIn(again);
    await panel(again).getByRole('button', { name: 'Test connection' }).click();
    await panel(again).getByText('Works').waitFor();
  });
});
