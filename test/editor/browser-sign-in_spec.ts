/** Signing in with the browser, in the real editor; and what goes on when the dialog or the page is left meanwhile. */
import type { Browser } from 'playwright-core';
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, customAccount } from '../support/node-red/account';
import {
  decide,
  decideInBrowser,
  fillAccount,
  panel,
  paste,
  signIn,
  signInByBrowser,
} from '../support/editor/account-dialog';
import { startBrowser } from '../support/editor/browser';
import { EditorPage } from '../support/editor/editor-page';
import { type DeployedNode, type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { storedCredentials } from '../support/node-red/stored-credentials';

const FULL = 'https://www.googleapis.com/auth/drive';
const ABOUT: DeployedNode = { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 300, y: 80, wires: [[]] };
const EMPTY: DeployedNode[] = [
  { id: 'tab', type: 'tab', label: 'test' },
  { ...ABOUT, account: '' },
];

describe('signing in with the browser', function () {
  this.timeout(60_000);
  let browser: Browser;
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let editor: EditorPage;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1, quota: 15 * 1024 ** 3 });
    nodeRed = await startNodeRed();
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await nodeRed?.close();
    await drive?.close();
  });

  const deployed = (id: string): DeployedNode[] => {
    const account = { id, type: 'cloud-drive-account', ...customAccount(drive.url) };
    const credentials = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
    return [EMPTY[0]!, { ...account, credentials }, { ...ABOUT, account: id }];
  };
  const opened = async (flow: DeployedNode[]): Promise<void> => {
    await nodeRed.deploy(flow);
    editor = await EditorPage.open(browser, nodeRed.url);
    await editor.openNode('about');
  };
  const signedIn = () => panel(editor).getByText('Signed in as').waitFor();
  const deployButton = () => editor.page.locator('#red-ui-header-button-deploy:not(.disabled)');

  describe('for the whole drive', () => {
    before(() => opened(EMPTY));
    after(() => editor.close());
    beforeEach(async () => {
      await editor.addAccount();
      await fillAccount(editor, drive.url);
      await editor.field('scope', 'account').fill(FULL);
    });

    it('takes the address that is pasted, and says what is wrong with another', async () => {
      const address = await signInByBrowser(editor, 'pasting');
      const { address: ended } = await decideInBrowser(browser, address);
      ended.should.match(/^http:\/\/127\.0\.0\.1:\d{5}\/\?/);
      const field = panel(editor).getByLabel(/paste it here/);
      await field.fill('http://127.0.0.1/nothing');
      await field.press('Enter');
      await panel(editor).getByText('there is no code in it').waitFor();
      await field.fill(ended.replace('state=', 'state=x'));
      await panel(editor).getByRole('button', { name: 'Go on' }).click();
      await panel(editor).getByText('belongs to another sign-in').waitFor();
      await field.fill(ended);
      await panel(editor).getByRole('button', { name: 'Go on' }).click();
      await signedIn();
      await editor.closeDialog('#node-config-dialog-cancel');
    });

    it('says that the person refused', async () => {
      const { title } = await decideInBrowser(browser, await signInByBrowser(editor, 'back'), 'deny');
      title.should.equal('Not signed in');
      await panel(editor).getByText('Refused', { exact: true }).waitFor();
      await editor.closeDialog('#node-config-dialog-cancel');
    });

    it('comes back to Node-RED, whose page says so, and the panel goes on', async () => {
      const address = await signInByBrowser(editor, 'back');
      const { address: ended, title } = await decideInBrowser(browser, address);
      ended.should.startWith(`${nodeRed.url}/cloud-drive-account/callback?`);
      title.should.equal('Signed in');
      await signedIn();
      await panel(editor).getByText('The whole drive (drive)').waitFor();
      await panel(editor).getByText('of 15 GB used').waitFor();
      await editor.closeDialog('#node-config-dialog-ok');
      await editor.closeDialog('#node-dialog-ok');
      await editor.deploy();
      Object.values(await storedCredentials(nodeRed))[0]!.should.have.property('refreshToken');
      // The browser itself tells of the two addresses that were refused.
      editor.errors.filter((error) => !error.includes('status of 400')).should.eql([]);
    });
  });

  describe('the steps', () => {
    before(() => opened(EMPTY));
    after(() => editor.close());
    beforeEach(() => editor.addAccount());
    afterEach(() => editor.closeDialog('#node-config-dialog-cancel'));

    it('are offered as the client and the choice need it', async () => {
      const way = (name: RegExp) => panel(editor).getByRole('radio', { name });
      const state = (step: string) =>
        editor.page.locator(`#cloud-drive-step-${step}`).getAttribute('data-state');
      (await way(/With a code/).isChecked()).should.equal(true);
      [await state('client'), await state('sign-in')].should.eql(['next', 'later']);
      await editor.page.getByRole('radio', { name: 'The whole drive' }).check();
      (await way(/With a code/).isDisabled()).should.equal(true);
      (await way(/back to Node-RED/).isChecked()).should.equal(true);
      (await editor.field('scope', 'account').inputValue()).should.equal(FULL);
      const client = { client_id: 'desktop', client_secret: 's', redirect_uris: ['http://localhost'] };
      await paste(editor.page, 'client-json', JSON.stringify({ installed: client }));
      await editor.page.locator('#cloud-drive-client-json-message.cloud-drive-good').waitFor();
      (await way(/pasting where it ends/).isChecked()).should.equal(true);
      [await state('client'), await state('scope'), await state('sign-in')].should.eql([
        'done',
        'done',
        'next',
      ]);
      await editor.page.getByRole('radio', { name: 'What this client makes' }).check();
      (await editor.field('scope', 'account').inputValue()).should.equal('');
      (await editor.namelessFields()).should.eql([]);
    });

    it('are gone through with the keyboard alone', async () => {
      await fillAccount(editor, drive.url);
      const { keyboard } = editor.page;
      const focused = (): Promise<string> =>
        editor.page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
      await editor.field('scope', 'account').focus();
      await keyboard.press('Tab');
      // Into the ways, of which the chosen one has the focus, and on to the button.
      for (let press = 0; press < 5 && !(await focused()).startsWith('Sign in'); press++)
        await keyboard.press('Tab');
      await keyboard.press('Enter');
      await panel(editor).locator('.cloud-drive-code').waitFor();
      for (let press = 0; press < 5 && (await focused()) !== 'Cancel'; press++) await keyboard.press('Tab');
      await keyboard.press('Enter');
      await panel(editor).getByText('Not signed in yet').waitFor();
    });
  });

  describe('that is left meanwhile', () => {
    afterEach(() => editor.close());

    it('goes on after Done, tells its end, and lets Deploy light up', async () => {
      await opened(deployed('left'));
      await editor.openAccount();
      const shown = await signIn(editor);
      await editor.closeDialog('#node-config-dialog-ok');
      await editor.closeDialog('#node-dialog-ok');
      await decide(browser, shown, 'approve');
      await editor.page.locator('.red-ui-notification').getByText('is signed in: Local User').waitFor();
      await deployButton().waitFor();
      (await editor.exported('left')).should.have.property('signedInAt').not.equal('');
      await editor.deploy();
      (await storedCredentials(nodeRed))['left']!.should.have.property('refreshToken');
    });

    it('is ended where its account is deleted', async () => {
      await opened(deployed('unwanted'));
      await editor.openAccount();
      await signIn(editor);
      await editor.closeDialog('#node-config-dialog-ok');
      await editor.openAccount();
      await panel(editor).locator('.cloud-drive-code').waitFor();
      const [ended] = await Promise.all([
        editor.page.waitForResponse((response) => response.request().method() === 'DELETE'),
        editor.page.getByRole('button', { name: 'Delete' }).last().click(),
      ]);
      ended.status().should.equal(204);
      const view = (await (await nodeRed.request('/cloud-drive-account/unwanted')).json()) as object;
      view.should.not.have.property('signingIn');
    });

    it('is there again after a reload, and in a second editor when it has ended', async () => {
      await opened(deployed('reloaded'));
      await editor.openAccount();
      const second = await EditorPage.open(browser, nodeRed.url);
      await second.openNode('about');
      await second.openAccount();
      const shown = await signIn(editor);
      await panel(second).getByText('in another editor just now').waitFor();
      await editor.reload();
      await editor.openNode('about');
      await editor.openAccount();
      (await panel(editor).locator('.cloud-drive-code').innerText()).should.equal(shown.code);
      await decide(browser, shown, 'approve');
      await signedIn();
      await panel(second).getByText('Signed in as').waitFor();
      await panel(second).getByRole('button', { name: 'Sign out' }).click();
      await panel(editor).getByText('Not signed in yet').waitFor();
      [...editor.errors, ...second.errors].should.eql([]);
      await second.close();
    });
  });
});
