/** Signing in with adminAuth, another root, behind a proxy, and without notifications from the runtime. */
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
import { type SpecBrowser, startBrowser } from '../support/editor/browser';
import { EditorPage } from '../support/editor/editor-page';
import { accountText } from '../support/languages';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { HOSTS, type PathProxy, startPathProxy } from '../support/http/path-proxy';
import { storedCredentials } from '../support/node-red/stored-credentials';
import { closeAll } from '../support/close-all';

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

describe('sign-in in other environments', () => {
  let browser: SpecBrowser;
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
  after(() => closeAll(browser, drive));

  const start = async (settings: Record<string, unknown> = {}, flow = [TAB, { ...ABOUT, account: '' }]) => {
    nodeRed = await startNodeRed({ settings });
    if (settings['adminAuth'] !== undefined) await nodeRed.logIn('editor', 'pass');
    await nodeRed.deploy(flow);
    return nodeRed;
  };
  const openEditor = async (url: string, username?: string): Promise<EditorPage> => {
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

  /** Signs in with both flows, then deploys and checks the stored credentials. */
  const signInWithBothFlows = async (editor: EditorPage, at: string): Promise<void> => {
    await newAccount(editor);
    await decide(await signIn(editor), 'approve');
    await signedIn(editor);
    await panel(editor).getByRole('button', { name: 'Sign in as another user' }).click();
    await editor.page.locator('#cloud-drive-step-scope').getByRole('button', { name: 'Change' }).click();
    await editor.field('scope', 'account').fill(FULL);
    const { url: redirectUrl, title } = await decideInBrowser(
      browser,
      await signInByBrowser(editor, 'browser'),
    );
    title.should.equal('Signed in');
    redirectUrl.should.startWith(`${at}/cloud-drive-account/callback?`);
    await panel(editor).getByText('Entire drive (drive)').waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    Object.values(await storedCredentials(nodeRed!))[0]!.should.have.property('refreshToken');
    // The browser logs the requests that were rejected before the login.
    editor.errors.filter((error) => !error.includes('status of 401')).should.eql([]);
  };

  it('works with adminAuth in both flows, and a user without write permission sees why it is refused', async () => {
    const { url } = await start({ adminAuth: ADMIN_AUTH });
    await signInWithBothFlows(await openEditor(url, 'editor'), url);
    const reader = await openEditor(url, 'reader');
    await reader.openAccount();
    await signedIn(reader);
    await panel(reader).getByRole('button', { name: 'Sign out' }).click();
    await panel(reader).getByText(accountText('panel.no_permission')).waitFor();
    await signedIn(reader);
  });

  it('works with httpAdminRoot', async () => {
    const { url } = await start({ httpAdminRoot: '/some/where' });
    url.should.endWith('/some/where');
    await signInWithBothFlows(await openEditor(url), url);
  });

  for (const host of ['preserved', 'forwarded'] as const) {
    it(`works behind a proxy with its own path and the Host header ${host}`, async () => {
      const { url } = await start({ httpAdminRoot: '/red' });
      proxy = await startPathProxy(url.replace(/\/red$/, ''), { path: '/far/away', headers: HOSTS[host] });
      const at = `${proxy.url}/red`;
      await signInWithBothFlows(await openEditor(at), at);
    });
  }

  it('works without notifications by polling', async () => {
    const { url } = await start({}, [TAB, { ...ABOUT, account: 'account' }, deployedAccount()]);
    const editor = await openEditor(url);
    await editor.page.evaluate(() => {
      const { RED } = globalThis as unknown as { RED: { comms: { subscribe: unknown } } };
      RED.comms.subscribe = () => undefined;
    });
    await editor.openAccount();
    await decide(await signIn(editor), 'approve');
    await signedIn(editor);
  });

  it('a new account shows the result of a sign-in that was pending when its dialog was closed', async () => {
    const { url } = await start();
    const editor = await openEditor(url);
    await newAccount(editor);
    const shown = await signIn(editor);
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.openAccount();
    await panel(editor).locator('.cloud-drive-code').getByText(shown.code.slice(0, 4)).waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
    await decide(shown, 'approve');
    await editor.page.locator('.red-ui-notification').getByText('is signed in').waitFor();
    await editor.openAccount();
    await signedIn(editor);
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    Object.values(await storedCredentials(nodeRed!))[0]!.should.have.property('refreshToken');
  });

  it('a sign-in in a second editor replaces the one in the first', async () => {
    const { url } = await start({}, [TAB, { ...ABOUT, account: 'account' }, deployedAccount()]);
    const [first, second] = [await openEditor(url), await openEditor(url)];
    await first.openAccount();
    await second.openAccount();
    await signIn(first);
    await panel(second).getByText(accountText('panel.signing_in_elsewhere')).waitFor();
    const shown = await signIn(second);
    await panel(first).getByText('Cancelled', { exact: true }).waitFor();
    await decide(shown, 'approve');
    await signedIn(second);
    await signedIn(first);
    await first.closeDialog('#node-config-dialog-cancel');
    await panel(second).getByRole('button', { name: 'Sign out' }).click();
    await panel(second).getByText('Signed out', { exact: true }).waitFor();
    await first.openAccount();
    await panel(first).getByText('Not signed in', { exact: true }).waitFor();
  });

  it('a sign-in in a subflow is still valid after a restart', async () => {
    const flow: DeployedNode[] = [
      TAB,
      { id: 'sub', type: 'subflow', name: 'sub', in: [], out: [] },
      { ...ABOUT, z: 'sub', account: 'account' },
      { ...deployedAccount(), z: 'sub' },
      ...[80, 160].map((y) => ({ id: `instance${y}`, type: 'subflow:sub', z: 'tab', x: 300, y, wires: [] })),
    ];
    const { url } = await start({}, flow);
    const editor = await EditorPage.open(browser, url);
    editors.push(editor);
    await editor.show('sub');
    await editor.openNode('about');
    await editor.openAccount();
    await decide(await signIn(editor), 'approve');
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
    await panel(again).getByText('The connection works').waitFor();
  });
});
