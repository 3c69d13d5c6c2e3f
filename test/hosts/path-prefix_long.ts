/** Everything in the dialogs that calls Node-RED, behind proxies that serve it under a path. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { closeAll } from '../support/close-all';
import { decide, panel, signIn, signInByBrowser } from '../support/editor/account-dialog';
import { type SpecBrowser, startBrowser } from '../support/editor/browser';
import { PickerPage } from '../support/editor/drive-picker';
import { EditorPage } from '../support/editor/editor-page';
import { HOSTS, type PathProxy, startPathProxy } from '../support/http/path-proxy';
import { accountText } from '../support/languages';
import { CLIENT, customAccount } from '../support/node-red/account';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { type Ingress, startIngress } from './ingress';

describe('Node-RED under a path', () => {
  let browser: SpecBrowser;
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let disk: string;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1 });
    await drive.files.add({ name: 'plan.txt', content: 'x', parent: await drive.files.addFolder('Backups') });
    disk = await mkdtemp(path.join(tmpdir(), 'hosts-'));
    await writeFile(path.join(disk, 'new.txt'), 'hello');
    [nodeRed, browser] = await Promise.all([startNodeRed(), startBrowser()]);
  });
  after(async () => {
    await closeAll(browser, nodeRed, drive);
    await rm(disk, { recursive: true });
  });

  const flow = (account: string): DeployedNode[] => {
    const node = (type: string, y: number, properties: object): DeployedNode => ({
      ...{ id: type, type: `cloud-drive-${type}`, z: 'tab', x: 300, y, account, wires: [[]] },
      ...properties,
    });
    const credentials = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      { id: account, type: 'cloud-drive-account', ...customAccount(drive.url), credentials },
      node('about', 60, {}),
      node('search-files', 120, { folder: '', folderType: 'str', text: 'plan', textType: 'str' }),
      node('sync', 180, { localPath: disk, localPathType: 'str', folder: '/Backups', folderType: 'str' }),
      node('backup', 240, { encryption: 'recipients' }),
    ];
  };

  /** Signs in with a code, then uses each button that calls Node-RED. */
  const useAllButtons = async (editor: EditorPage): Promise<void> => {
    const result = editor.page.locator('#cloud-drive-test-result');
    const testOf = async (node: string): Promise<void> => {
      await editor.openNode(node);
      await editor.openSections();
      await editor.page.locator('#cloud-drive-test-start').click();
    };
    await editor.openNode('about');
    await editor.openAccount();
    await decide(await signIn(editor), 'approve');
    await panel(editor).getByText('Signed in as').waitFor();
    await panel(editor)
      .getByRole('button', { name: accountText('panel.test') })
      .click();
    await panel(editor).getByText(accountText('panel.works')).waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-cancel');

    await testOf('search-files');
    await result.getByText('plan.txt').waitFor();
    const picker = new PickerPage(editor);
    await picker.open('folder');
    await picker.row('Backups').waitFor();
    await picker.cancel('folder');
    await editor.closeDialog('#node-dialog-cancel');

    await testOf('sync');
    await result.getByText('new.txt').waitFor();
    await editor.closeDialog('#node-dialog-cancel');

    await editor.openNode('backup');
    await editor.openSections();
    await editor.page.locator('#cloud-drive-create-key').click();
    (await editor.page.locator('#cloud-drive-private-key code').innerText()).should.startWith(
      'AGE-SECRET-KEY-1',
    );
    await editor.closeDialog('#node-dialog-cancel');
    editor.errors.should.eql([]);
  };

  const callbackUrl = async (editor: EditorPage): Promise<string | null> => {
    await editor.openNode('about');
    await editor.openAccount();
    await panel(editor).getByRole('button', { name: 'Sign in as another user' }).click();
    const url = new URL(await signInByBrowser(editor, 'browser'));
    return url.searchParams.get('redirect_uri');
  };

  describe('of a reverse proxy that forwards the browser’s host', () => {
    let proxy: PathProxy;
    let editor: EditorPage;
    before(async () => {
      await nodeRed.deploy(flow('behind-proxy'));
      proxy = await startPathProxy(nodeRed.url, { path: '/nodered', headers: HOSTS.forwarded });
      editor = await EditorPage.open(browser, proxy.url);
    });
    after(() => closeAll(editor, proxy));

    it('all buttons of the dialogs work behind a reverse proxy', () => useAllButtons(editor));

    it('a browser sign-in returns to the path of the reverse proxy', async () => {
      should(await callbackUrl(editor)).equal(`${proxy.url}/cloud-drive-account/callback`);
    });
  });

  describe('of Home Assistant’s ingress', () => {
    let ingress: Ingress;
    let editor: EditorPage;
    before(async () => {
      await nodeRed.deploy(flow('in-ingress'));
      ingress = await startIngress(nodeRed.url);
      editor = await EditorPage.open(browser, ingress.url, { cookies: [ingress.cookie] });
    });
    after(() => closeAll(editor, ingress));

    it('all buttons of the dialogs work through ingress', () => useAllButtons(editor));

    it('a redirect isn’t offered, because ingress rejects those of other sites', async () => {
      await editor.openNode('about');
      await editor.openAccount();
      await panel(editor).getByRole('button', { name: 'Sign in as another user' }).click();
      const redirect = panel(editor).getByRole('radio', { name: accountText('way.browser') });
      should(await redirect.isDisabled()).be.true();
      await panel(editor).getByText(accountText('way.browser_not_ingress')).waitFor();
      (await signInByBrowser(editor, 'paste')).should.containEql(encodeURIComponent('http://127.0.0.1:'));
      await editor.closeDialog('#node-config-dialog-cancel');
      await editor.closeDialog('#node-dialog-cancel');
    });

    it('the admin API accepts requests of the editor in Home Assistant’s iframe', async () => {
      const page = await editor.page.context().newPage();
      await page.goto(ingress.frontend);
      const frame = page.frame({ url: `${ingress.url}/` })!;
      await frame.locator('#red-ui-workspace-chart').waitFor();
      const statuses = await frame.evaluate(async () => {
        const get = await fetch('cloud-drive-account/in-ingress');
        const body = JSON.stringify({});
        const headers = { 'Content-Type': 'application/json' };
        const post = await fetch('cloud-drive-account/in-ingress/folders', { method: 'POST', body, headers });
        return [get.status, post.status];
      });
      // 400: the request was read, but the folder has no name.
      statuses.should.eql([200, 400]);
      await page.close();
    });

    it('the admin API refuses requests of another site, even with a valid session cookie', async () => {
      const { name, value } = ingress.cookie;
      const from = async (headers: Record<string, string>): Promise<number> => {
        const cookie = { Cookie: `${name}=${value}` };
        const response = await fetch(`${ingress.url}/cloud-drive-account/in-ingress`, {
          headers: { ...cookie, ...headers },
        });
        return response.status;
      };
      should(await from({ Origin: new URL(ingress.url).origin })).equal(200);
      should(await from({ Origin: 'https://evil.example' })).equal(403);
      should(await from({ 'Sec-Fetch-Site': 'cross-site' })).equal(403);
    });
  });
});
