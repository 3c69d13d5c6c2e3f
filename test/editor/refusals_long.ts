/** Every error of a sign-in in the real editor: the message, and that the user can sign in again. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT } from '../support/node-red/account';
import {
  decide,
  decideInBrowser,
  fillAccount,
  panel,
  signIn,
  signInByBrowser,
} from '../support/editor/account-dialog';
import { type SpecBrowser, startBrowser } from '../support/editor/browser';
import { ABOUT_FLOW } from '../support/editor/editor-fixture';
import { EditorPage } from '../support/editor/editor-page';
import { type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { closeAll } from '../support/close-all';

const FULL = 'https://www.googleapis.com/auth/drive';
describe('rejected sign-in', () => {
  let browser: SpecBrowser;
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let editor: EditorPage;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1 });
    nodeRed = await startNodeRed();
    await nodeRed.deploy(ABOUT_FLOW);
    browser = await startBrowser();
    editor = await EditorPage.open(browser, nodeRed.url);
    await editor.openNode('about');
  });
  beforeEach(async () => {
    drive.faults.clear();
    await editor.addAccount();
    await fillAccount(editor, drive.url);
  });
  afterEach(() => editor.closeDialog('#node-config-dialog-cancel'));
  after(() => closeAll(browser, nodeRed, drive));

  const press = () => panel(editor).getByRole('button', { name: 'Sign in' }).click();
  const expectTexts = async (...texts: string[]): Promise<void> => {
    for (const text of texts) await panel(editor).getByText(text).first().waitFor();
    // The user can always sign in again.
    await panel(editor).getByRole('button', { name: 'Sign in' }).waitFor();
  };
  const addTokenError = (path: RegExp, error: string, status = 400): void => {
    drive.faults.add({ kind: 'oauthError', error, status, match: { path } });
  };

  describe('device authorization request', () => {
    for (const [error, status, what] of [
      ['invalid_client', 401, "isn't of type “TVs and Limited Input devices”"],
      ['unauthorized_client', 400, "isn't of type “TVs and Limited Input devices”"],
      ['admin_policy_enforced', 400, "organization's administrator"],
      ['org_internal', 403, 'members of its organization'],
      ['unsupported_grant_type', 400, 'Create a client of type'],
      ['rate_limit_exceeded', 403, 'too many requests'],
      ['something_new', 400, '(something_new)'],
    ] as const) {
      it(`explains ${error} of the device endpoint`, async () => {
        addTokenError(/device\/code$/, error, status);
        await press();
        await expectTexts('Sign-in failed', what);
      });
    }

    it('explains which scopes the device flow can’t grant', async () => {
      await editor.field('scope', 'account').fill(FULL);
      await press();
      await expectTexts('access (invalid_scope)', '“Desktop app” or “Web application”');
    });

    it('shows that the connection was refused', async () => {
      const gone = await startLocalDrive();
      await gone.close();
      await editor.page.locator('#cloud-drive-other-urls summary').click();
      await editor.field('deviceUrl', 'account').fill(`${gone.url}/device/code`);
      await press();
      await expectTexts('refused the connection');
    });

    it('shows that a web page was returned instead of JSON', async () => {
      const body = '<html>Please log in to the Wi-Fi</html>';
      drive.faults.add({ kind: 'response', status: 200, body, match: { path: /device\/code$/ } });
      await press();
      await expectTexts('A proxy or a login page');
    });
  });

  describe('pending device flow', () => {
    it('shows that the user denied access', async () => {
      await decide(await signIn(editor), 'deny');
      await expectTexts('Access denied', 'Sign in again and allow access');
    });

    it('shows that the administrator denied access', async () => {
      await signIn(editor);
      addTokenError(/token$/, 'admin_policy_enforced');
      await expectTexts('Sign-in failed', "organization's administrator");
    });

    it('shows that the user code has expired', async () => {
      const shortLived = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1, deviceLifetime: 2 });
      try {
        await fillAccount(editor, shortLived.url);
        await signIn(editor);
        await expectTexts('The code expired', 'Sign in again to get a new code');
      } finally {
        await shortLived.close();
      }
    });

    it('continues after a lost connection, and shows the error meanwhile', async () => {
      const shown = await signIn(editor);
      drive.faults.add({ kind: 'reset', match: { path: /token$/ }, times: 1_000 });
      await panel(editor).getByText('Still trying').waitFor();
      await decide(shown, 'approve');
      drive.faults.clear();
      await panel(editor).getByText('Signed in as').waitFor();
    });

    for (const [words, hours] of [
      ['minutes behind', 2],
      ['minutes ahead', -2],
    ] as const) {
      it(`warns that the clock is wrong by ${words}`, async () => {
        const headers = { Date: new Date(Date.now() + hours * 3_600_000).toUTCString() };
        drive.faults.add({ kind: 'headers', headers, match: { path: /device\/code|token/ }, times: 1_000 });
        await signIn(editor);
        await panel(editor).getByText(words).waitFor();
      });
    }
  });

  describe('approved device flow', () => {
    it('explains how to enable the Drive API', async () => {
      drive.faults.add({
        kind: 'error',
        reason: 'accessNotConfigured',
        match: { path: /about$/ },
        times: 1_000,
      });
      await decide(await signIn(editor), 'approve');
      await panel(editor).getByText('The Google Drive API is not enabled').waitFor();
      drive.faults.clear();
      await panel(editor).getByRole('button', { name: 'Test connection' }).click();
      await panel(editor).getByText('The connection works').waitFor();
    });
  });

  describe('browser flow', () => {
    beforeEach(() => editor.field('scope', 'account').fill(FULL));

    for (const [error, status, what] of [
      ['invalid_client', 401, '“Desktop app” or “Web application”'],
      ['invalid_grant', 400, 'already used'],
      ['redirect_uri_mismatch', 400, 'Authorized redirect URIs'],
      ['invalid_scope', 400, 'Check “Access”'],
      ['org_internal', 403, 'members of its organization'],
    ] as const) {
      it(`explains ${error} of the token endpoint on the callback page and in the panel`, async () => {
        const address = await signInByBrowser(editor, 'browser');
        addTokenError(/token$/, error, status);
        (await decideInBrowser(browser, address)).title.should.equal('Sign-in failed');
        await expectTexts('Sign-in failed', what);
      });
    }
  });
});
