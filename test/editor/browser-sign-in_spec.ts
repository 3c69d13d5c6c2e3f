/** The browser flow in the real editor, and sign-ins whose dialog or page is closed while they are pending. */
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
import { type SpecBrowser, startBrowser } from '../support/editor/browser';
import { sharedFlows, sharedNodeRed } from '../support/node-red/shared-node-red';
import { EditorPage } from '../support/editor/editor-page';
import { accountText } from '../support/languages';
import { type DeployedNode, type NodeRed } from '../support/node-red/node-red';
import { storedCredentials } from '../support/node-red/stored-credentials';
import { closeAll } from '../support/close-all';
import { consent } from '../support/consent';
import { itLong } from '../support/run/long';

const FULL = 'https://www.googleapis.com/auth/drive';
const ABOUT: DeployedNode = { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 300, y: 80, wires: [[]] };
const EMPTY: DeployedNode[] = [
  { id: 'tab', type: 'tab', label: 'test' },
  { ...ABOUT, account: '' },
];

describe('browser sign-in', () => {
  let browser: SpecBrowser;
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let editor: EditorPage;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1, quota: 15 * 1024 ** 3 });
    nodeRed = await sharedNodeRed();
    browser = await startBrowser();
  });
  after(() => closeAll(browser, sharedFlows, drive));

  const deployed = (id: string): DeployedNode[] => {
    const account = { id, type: 'cloud-drive-account', ...customAccount(drive.url) };
    const credentials = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
    return [EMPTY[0]!, { ...account, credentials }, { ...ABOUT, account: id }];
  };
  const openEditor = async (flow: DeployedNode[]): Promise<void> => {
    await nodeRed.deploy(flow);
    editor = await EditorPage.open(browser, nodeRed.url);
    await editor.openNode('about');
  };
  const signedIn = () => panel(editor).getByText('Signed in as').waitFor();
  const deployButton = () => editor.page.locator('#red-ui-header-button-deploy:not(.disabled)');

  describe('for the entire drive', () => {
    before(() => openEditor(EMPTY));
    after(() => editor.close());
    beforeEach(async () => {
      await editor.addAccount();
      await fillAccount(editor, drive.url);
      await editor.field('scope', 'account').fill(FULL);
    });

    it('accepts the pasted redirect URL, and shows why another URL is rejected', async () => {
      const authorizationUrl = await signInByBrowser(editor, 'paste');
      const redirectUrl = await consent(authorizationUrl);
      redirectUrl.should.match(/^http:\/\/127\.0\.0\.1:\d{5}\/\?/);
      const field = panel(editor).getByLabel(/paste it here/);
      await field.fill('http://127.0.0.1/nothing');
      await field.press('Enter');
      await panel(editor).getByText(accountText('errors.invalid_input_redirected')).waitFor();
      await field.fill(redirectUrl.replace('state=', 'state=x'));
      await panel(editor).getByRole('button', { name: 'Continue' }).click();
      await panel(editor).getByText(accountText('errors.invalid_input_redirected_other')).waitFor();
      await field.fill(redirectUrl);
      await panel(editor).getByRole('button', { name: 'Continue' }).click();
      await signedIn();
      await editor.closeDialog('#node-config-dialog-cancel');
    });

    itLong('shows that the user denied access', async () => {
      const { title } = await decideInBrowser(browser, await signInByBrowser(editor, 'browser'), 'deny');
      title.should.equal('Sign-in failed');
      await panel(editor).getByText('Access denied', { exact: true }).waitFor();
      await editor.closeDialog('#node-config-dialog-cancel');
    });

    it('redirects to a page of Node-RED, and the panel shows the signed-in user', async () => {
      const authorizationUrl = await signInByBrowser(editor, 'browser');
      const { url: redirectUrl, title } = await decideInBrowser(browser, authorizationUrl);
      redirectUrl.should.startWith(`${nodeRed.url}/cloud-drive-account/callback?`);
      title.should.equal('Signed in');
      await signedIn();
      await panel(editor).getByText('Entire drive (drive)').waitFor();
      await panel(editor).getByText('of 15 GB used').waitFor();
      await editor.closeDialog('#node-config-dialog-ok');
      await editor.closeDialog('#node-dialog-ok');
      await editor.deploy();
      Object.values(await storedCredentials(nodeRed))[0]!.should.have.property('refreshToken');
      // The browser logs the two rejected URLs.
      editor.errors.filter((error) => !error.includes('status of 400')).should.eql([]);
    });
  });

  describe('sign-in methods', () => {
    before(() => openEditor(EMPTY));
    after(() => editor.close());
    beforeEach(() => editor.addAccount());
    afterEach(() => editor.closeDialog('#node-config-dialog-cancel'));

    it('offers to choose existing files in a browser, with access to the files of the project only', async () => {
      const choose = panel(editor).getByRole('checkbox', { name: accountText('way.choose_files') });
      await choose.waitFor({ state: 'hidden' });
      await panel(editor)
        .getByRole('radio', { name: accountText('way.paste') })
        .check();
      await choose.check();
      const client = { client_id: 'desktop', client_secret: 's', redirect_uris: ['http://localhost'] };
      await paste(editor.page, 'client-json', JSON.stringify({ installed: client }));
      await editor.page.locator('#cloud-drive-client-json-message.cloud-drive-good').waitFor();
      const url = new URL(await signInByBrowser(editor, 'paste'));
      url.origin.should.equal('https://accounts.google.com');
      [...url.searchParams].should.containDeep([
        ['trigger_onepick', 'true'],
        ['scope', 'https://www.googleapis.com/auth/drive.file'],
      ]);
      await panel(editor).getByRole('button', { name: 'Cancel' }).click();
      await editor.page.getByRole('radio', { name: accountText('scope.full') }).check();
      await choose.waitFor({ state: 'hidden' });
    });

    it('preselects and disables sign-in methods according to the client and the scope', async () => {
      const method = (name: RegExp) => panel(editor).getByRole('radio', { name });
      const state = (step: string) =>
        editor.page.locator(`#cloud-drive-step-${step}`).getAttribute('data-state');
      (await method(accountText('way.device')).isChecked()).should.equal(true);
      [await state('client'), await state('sign-in')].should.eql(['next', 'later']);
      await editor.page.getByRole('radio', { name: accountText('scope.full') }).check();
      (await method(accountText('way.device')).isDisabled()).should.equal(true);
      (await method(accountText('way.browser')).isChecked()).should.equal(true);
      (await editor.field('scope', 'account').inputValue()).should.equal(FULL);
      const client = { client_id: 'desktop', client_secret: 's', redirect_uris: ['http://localhost'] };
      await paste(editor.page, 'client-json', JSON.stringify({ installed: client }));
      await editor.page.locator('#cloud-drive-client-json-message.cloud-drive-good').waitFor();
      (await method(accountText('way.paste')).isChecked()).should.equal(true);
      [await state('client'), await state('scope'), await state('sign-in')].should.eql([
        'done',
        'done',
        'next',
      ]);
      await editor.page.getByRole('radio', { name: accountText('scope.file') }).check();
      (await editor.field('scope', 'account').inputValue()).should.equal('');
      (await editor.unlabeledFields()).should.eql([]);
    });

    itLong('signs in with the keyboard only', async () => {
      await fillAccount(editor, drive.url);
      const { keyboard } = editor.page;
      const focused = (): Promise<string> =>
        editor.page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
      await editor.field('scope', 'account').focus();
      await keyboard.press('Tab');
      // Tab moves to the selected method, then to the button.
      for (let press = 0; press < 5 && !(await focused()).startsWith('Sign in'); press++)
        await keyboard.press('Tab');
      await keyboard.press('Enter');
      await panel(editor).locator('.cloud-drive-code').waitFor();
      for (let press = 0; press < 5 && (await focused()) !== 'Cancel'; press++) await keyboard.press('Tab');
      await keyboard.press('Enter');
      await panel(editor).getByText('Not signed in', { exact: true }).waitFor();
    });
  });

  describe('pending sign-in', () => {
    afterEach(() => editor.close());

    it('continues after Done, shows a notification when complete, and enables Deploy', async () => {
      await openEditor(deployed('closed'));
      await editor.openAccount();
      const instructions = await signIn(editor);
      await editor.closeDialog('#node-config-dialog-ok');
      await editor.closeDialog('#node-dialog-ok');
      await decide(instructions, 'approve');
      await editor.page.locator('.red-ui-notification').getByText('is signed in as Local User').waitFor();
      await deployButton().waitFor();
      (await editor.exported('closed')).should.have.property('signedInAt').not.equal('');
      await editor.deploy();
      (await storedCredentials(nodeRed))['closed']!.should.have.property('refreshToken');
    });

    it('is cancelled when its account is deleted', async () => {
      await openEditor(deployed('deleted'));
      await editor.openAccount();
      await signIn(editor);
      await editor.closeDialog('#node-config-dialog-ok');
      await editor.openAccount();
      await panel(editor).locator('.cloud-drive-code').waitFor();
      const [cancelled] = await Promise.all([
        editor.page.waitForResponse((response) => response.request().method() === 'DELETE'),
        editor.page.getByRole('button', { name: 'Delete' }).last().click(),
      ]);
      cancelled.status().should.equal(204);
      const view = (await (await nodeRed.request('/cloud-drive-account/deleted')).json()) as object;
      view.should.not.have.property('signingIn');
    });

    itLong('is shown again after a reload, and its result is shown in a second editor', async () => {
      await openEditor(deployed('reloaded'));
      await editor.openAccount();
      const second = await EditorPage.open(browser, nodeRed.url);
      await second.openNode('about');
      await second.openAccount();
      const instructions = await signIn(editor);
      await panel(second).getByText(accountText('panel.signing_in_elsewhere')).waitFor();
      await editor.reload();
      await editor.openNode('about');
      await editor.openAccount();
      (await panel(editor).locator('.cloud-drive-code').innerText()).should.equal(instructions.code);
      await decide(instructions, 'approve');
      await signedIn();
      await panel(second).getByText('Signed in as').waitFor();
      await panel(second).getByRole('button', { name: 'Sign out' }).click();
      await panel(editor).getByText('Not signed in', { exact: true }).waitFor();
      [...editor.errors, ...second.errors].should.eql([]);
      await second.close();
    });
  });
});
