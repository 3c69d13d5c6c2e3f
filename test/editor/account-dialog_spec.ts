/** The account's dialog in the real editor: client JSON, token JSON, and how a sign-in in it can end. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, customAccount } from '../support/node-red/account';
import {
  clientJson,
  completeClientJson,
  decide,
  fillAccount,
  panel,
  paste,
  signIn,
} from '../support/editor/account-dialog';
import { type SpecBrowser, startBrowser } from '../support/editor/browser';
import { ABOUT_FLOW } from '../support/editor/editor-fixture';
import { sharedFlows, sharedNodeRed } from '../support/node-red/shared-node-red';
import { EditorPage } from '../support/editor/editor-page';
import { accountText } from '../support/languages';
import { type DeployedNode, type NodeRed } from '../support/node-red/node-red';
import { storedCredentials } from '../support/node-red/stored-credentials';
import { closeAll } from '../support/close-all';
import { itLong } from '../support/run/long';

describe('the account’s dialog', () => {
  let browser: SpecBrowser;
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let editor: EditorPage;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1 });
    [nodeRed, browser] = await Promise.all([sharedNodeRed(), startBrowser()]);
  });

  after(() => closeAll(browser, sharedFlows, drive));

  const openEditor = async (flow: DeployedNode[]): Promise<void> => {
    await nodeRed.deploy(flow);
    editor = await EditorPage.open(browser, nodeRed.url);
  };
  const message = (field: 'client-json' | 'token-json') =>
    editor.page.locator(`#cloud-drive-${field}-message`);

  const token = { access_token: 'canary-pasted-access', refresh_token: 'canary-pasted-refresh' };
  const expandTokenField = () => editor.page.locator('#cloud-drive-have-token summary').click();

  describe('of a new account', () => {
    before(async () => {
      await openEditor(ABOUT_FLOW);
      await editor.openNode('about');
    });
    beforeEach(() => editor.addAccount());
    afterEach(async () => {
      if (await editor.page.locator('#node-config-dialog-cancel').isVisible())
        await editor.closeDialog('#node-config-dialog-cancel');
    });
    after(() => editor.close());

    describe('client JSON', () => {
      it('fills the client’s fields from a pasted client JSON and removes the JSON from the page', async () => {
        await paste(editor.page, 'client-json', clientJson(drive.url));
        await message('client-json').and(editor.page.locator('.cloud-drive-good')).waitFor();
        (await editor.field('clientId', 'account').inputValue()).should.equal(CLIENT.id);
        (await editor.field('clientSecret', 'account').inputValue()).should.equal(CLIENT.secret);
        (await editor.field('tokenUrl', 'account').inputValue()).should.equal(`${drive.url}/token`);
        (await editor.page.locator('#cloud-drive-client-json').inputValue()).should.equal('');
        (await editor.page.content()).should.not.containEql(CLIENT.secret);
      });

      const jsonWithAuthUri = (): string => clientJson(drive.url, { auth_uri: `${drive.url}/page` });
      const value = (property: string) => editor.field(property, 'account').inputValue();

      it('fills the URLs of a custom service wherever the client JSON is pasted, and names them', async () => {
        await editor.field('service', 'account').selectOption('custom');
        await editor.field('name', 'account').evaluate((element, text) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', text);
          element.dispatchEvent(
            new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
          );
        }, jsonWithAuthUri());
        (await message('client-json').innerText()).should.equal(
          `Client ${CLIENT.id} added. Also filled in: Token URL, Authorization URL`,
        );
        (await value('authUrl')).should.equal(`${drive.url}/page`);
      });

      itLong('fills the authorization URL when the custom service is selected after pasting', async () => {
        await paste(editor.page, 'client-json', jsonWithAuthUri());
        await message('client-json').and(editor.page.locator('.cloud-drive-good')).waitFor();
        (await value('authUrl')).should.equal('');
        await editor.field('service', 'account').selectOption('custom');
        (await value('authUrl')).should.equal(`${drive.url}/page`);
      });

      const expectComplete = async (): Promise<void> => {
        await message('client-json').filter({ hasText: 'Folder MIME type' }).waitFor();
        const { requestsPerSecond: _limit, uploadUrl: _same, ...settings } = customAccount(drive.url);
        for (const [property, expected] of Object.entries(settings))
          (await value(property)).should.equal(expected, property);
        (
          await editor.page.locator('#node-config-dialog-edit-form .input-error:visible').count()
        ).should.equal(0);
        await panel(editor).locator('button:focus', { hasText: 'Sign in' }).waitFor();
      };
      /** Copies with Ctrl+C and pastes with Ctrl+V, whose events differ from a dispatched one. */
      const pasteWithKeys = async (text: string): Promise<void> => {
        const { page } = editor;
        await page.evaluate((content) => {
          const area = document.body.appendChild(document.createElement('textarea'));
          area.id = 'copied';
          area.value = content;
        }, text);
        await page.locator('#copied').selectText();
        await page.keyboard.press('Control+C');
        await page.locator('#copied').evaluate((area) => area.remove());
        await page.locator('#cloud-drive-client-json').focus();
        await page.keyboard.press('Control+V');
      };

      it('a JSON of another service that names its URL, pasted with Ctrl+V, leaves nothing to fill in', async () => {
        await pasteWithKeys(completeClientJson(drive.url));
        await expectComplete();
        (await editor.page.locator('.cloud-drive-offer').count()).should.equal(0);
      });

      it('a selected file with the JSON of another service leaves nothing to fill in', async () => {
        const file = {
          name: 'c.json',
          mimeType: 'application/json',
          buffer: Buffer.from(completeClientJson(drive.url)),
        };
        await editor.page.locator('#cloud-drive-client-json-file').setInputFiles(file);
        await expectComplete();
      });

      itLong(
        'a JSON of another service without its URL, pasted with Ctrl+V, offers the service once',
        async () => {
          await pasteWithKeys(clientJson(drive.url));
          await editor.page.locator('button:focus', { hasText: new URL(drive.url).host }).waitFor();
          (await editor.page.locator('.cloud-drive-offer').count()).should.equal(1);
        },
      );

      itLong('reads a client JSON from a selected file', async () => {
        const buffer = Buffer.from(clientJson(drive.url));
        const file = { name: 'client_secret.json', mimeType: 'application/json', buffer };
        await editor.page.locator('#cloud-drive-client-json-file').setInputFiles(file);
        await message('client-json').and(editor.page.locator('.cloud-drive-good')).waitFor();
        (await editor.field('clientId', 'account').inputValue()).should.equal(CLIENT.id);
      });

      itLong('reads a client JSON from a dropped file', async () => {
        await editor.page.locator('#cloud-drive-client-json').evaluate((element, text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], 'client_secret.json', { type: 'application/json' }));
          element.dispatchEvent(
            new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
          );
        }, clientJson(drive.url));
        await message('client-json').and(editor.page.locator('.cloud-drive-good')).waitFor();
        (await editor.field('clientSecret', 'account').inputValue()).should.equal(CLIENT.secret);
      });

      const invalid: [string, RegExp][] = [
        ['{"installed":', /isn't JSON/],
        ['{"type":"authorized_user"}', /“installed” and “web” are both missing/],
        ['{"type":"service_account"}', /“client_email” or “private_key” is missing/],
        ['{"installed":{"client_id":"x","client_secret":"y","token_uri":"x"}}', /“token_uri” isn't a URL/],
        [
          '{"web":{"client_id":"x","client_secret":"y","token_uri":"http://a.example/"}}',
          /“token_uri” starts with http:\/\//,
        ],
      ];
      it('shows why a client JSON is invalid and changes no field', async () => {
        for (const [text, expected] of invalid) {
          await paste(editor.page, 'client-json', text);
          await message('client-json')
            .filter({ hasText: expected })
            .and(editor.page.locator('.cloud-drive-bad'))
            .waitFor();
          (await editor.field('clientId', 'account').inputValue()).should.equal('');
        }
      });
    });

    describe('sign-in', () => {
      it('shows that the user denied access, and can sign in again', async () => {
        await fillAccount(editor, drive.url);
        await decide(await signIn(editor), 'deny');
        await panel(editor).getByText('Access denied', { exact: true }).waitFor();
        (await panel(editor).innerText()).should.match(accountText('errors.sign_in_refused_access_denied'));
        await decide(await signIn(editor), 'approve');
        await panel(editor).getByText('Signed in as').waitFor();
      });

      it('shows which client setting is missing or invalid', async () => {
        await panel(editor).getByRole('button', { name: 'Sign in' }).click();
        await panel(editor).getByText(accountText('errors.not_configured_client_id')).waitFor();
        await fillAccount(editor, drive.url);
        await editor.field('clientId', 'account').fill('nobody');
        await panel(editor).getByRole('button', { name: 'Sign in' }).click();
        await panel(editor).getByText(accountText('errors.sign_in_refused_invalid_client')).waitFor();
        await editor.field('baseUrl', 'account').fill('http://drive.example');
        await editor.field('baseUrl', 'account').dispatchEvent('change');
        (await editor.field('baseUrl', 'account').getAttribute('class'))!.should.containEql('input-error');
        await panel(editor).getByRole('button', { name: 'Sign in' }).click();
        await panel(editor).getByText(accountText('errors.insecure_url')).waitFor();
      });

      itLong('removes the reason of a failed sign-in when the client JSON is pasted', async () => {
        const reason = panel(editor).getByText(accountText('errors.not_configured_client_id'));
        await panel(editor).getByRole('button', { name: 'Sign in' }).click();
        await reason.waitFor();
        await fillAccount(editor, drive.url);
        (await reason.count()).should.equal(0);
        (await panel(editor).innerText()).should.startWith('Not signed in');
      });

      it('shows why a sign-in failed, although an older state of the account arrives later', async () => {
        const older = { signedIn: false, signingIn: true };
        const isState = /\/cloud-drive-account\/[\w.-]+\?/;
        const [arrived, release] = await editor.holdNext(isState, older);
        await arrived;
        await panel(editor).getByRole('button', { name: 'Sign in' }).click();
        const reason = panel(editor).getByText(accountText('errors.not_configured_client_id'));
        await reason.waitFor();
        await release();
        (await reason.isVisible()).should.be.true();
      });

      it('cancels a sign-in with its button and with the dialog’s Cancel', async () => {
        const start = editor.responses.length;
        await fillAccount(editor, drive.url);
        await signIn(editor);
        await panel(editor).getByRole('button', { name: 'Cancel' }).click();
        await panel(editor).getByRole('button', { name: 'Sign in' }).waitFor();
        await signIn(editor);
        const cancelled = editor.page.waitForResponse((response) => response.request().method() === 'DELETE');
        await editor.closeDialog('#node-config-dialog-cancel');
        (await cancelled).status().should.equal(204);
        const sessions = (await editor.allResponses())
          .slice(start)
          .flatMap(({ body }) => /"session":"([\da-f-]{36})"/.exec(body)?.[1] ?? []);
        sessions.should.have.length(2);
        for (const session of sessions) {
          const response = await nodeRed.request(`/cloud-drive-account/sign-in/${session}`);
          ((await response.json()) as { state: string }).state.should.equal('cancelled');
        }
      });

      describe('with URLs and texts from the service', () => {
        const SESSION = /\/cloud-drive-account\/sign-in\/s\b/;
        const START = /\/cloud-drive-account\/[\w.-]+\/sign-in$/;
        afterEach(() => editor.page.unrouteAll({ behavior: 'ignoreErrors' }));

        const showInstructions = async (instructions: object): Promise<void> => {
          const pending = { state: 'pending', flow: 'device', expiresIn: 60, ...instructions };
          await editor.page.route(START, (route) => route.fulfill({ status: 201, json: { session: 's' } }));
          await editor.page.route(SESSION, (route) => route.fulfill({ json: pending }));
          await panel(editor).getByRole('button', { name: 'Sign in' }).click();
          await panel(editor).locator('.cloud-drive-code').waitFor();
        };

        it('shows texts from a server as text, and links only to web pages', async () => {
          const markup = '<img src=x onerror="window.broken=1">';
          await showInstructions({ userCode: markup, verificationUrl: 'javascript:window.broken=1' });
          await panel(editor).locator('.cloud-drive-code').getByText(markup).waitFor();
          (await panel(editor).locator('a, img, svg').count()).should.equal(0);
        });

        itLong('shows no link for a verification URL with user info', async () => {
          const verificationUrl = 'https://accounts.google.com@drive.example/device';
          await showInstructions({ userCode: 'CODE', verificationUrl });
          (await panel(editor).locator('a, svg').count()).should.equal(0);
          (await panel(editor).innerText()).should.not.containEql('accounts.google.com');
        });

        it('shows the real verification URL if it contains bidirectional control characters', async () => {
          const verificationUrl = 'https://drive.example/\u202ecod.elgoog.stnuocca//:sptth';
          await showInstructions({ userCode: 'CODE', verificationUrl });
          const link = panel(editor).locator('a').first();
          const href = (await link.getAttribute('href'))!;
          href.should.equal(encodeURI(verificationUrl));
          (await link.innerText()).should.equal(href);
        });

        itLong('shows a complete verification URL in full if it is on another host', async () => {
          const [verificationUrl, other] = [
            'https://drive.example/device',
            'https://other.example/device?code=x',
          ];
          await showInstructions({ userCode: 'CODE', verificationUrl, verificationUrlComplete: other });
          (await panel(editor).getByRole('link').allInnerTexts()).should.eql([verificationUrl, other]);
        });
      });
    });

    it('shows why a token JSON is invalid', async () => {
      await expandTokenField();
      await paste(editor.page, 'token-json', '{"error":"invalid_grant"}');
      await message('token-json').filter({ hasText: 'failed sign-in (invalid_grant)' }).waitFor();
    });
  });

  describe('when deployed', () => {
    afterEach(() => editor.close());

    const deployAccount = async (): Promise<Record<string, string>> => {
      await editor.closeDialog('#node-config-dialog-ok');
      await editor.closeDialog('#node-dialog-ok');
      await editor.deploy();
      return Object.values(await storedCredentials(nodeRed))[0]!;
    };

    it('stores the tokens of a sign-in from a node in a subflow', async () => {
      await openEditor([
        { id: 'tab', type: 'tab', label: 'test' },
        { id: 'sub', type: 'subflow', name: 'sub', in: [], out: [] },
        { id: 'inner', type: 'cloud-drive-about', z: 'sub', x: 300, y: 80, account: '', wires: [[]] },
        { id: 'instance', type: 'subflow:sub', z: 'tab', x: 300, y: 80, wires: [] },
      ]);
      await editor.show('sub');
      await editor.openNode('inner');
      await editor.addAccount();
      await fillAccount(editor, drive.url);
      await decide(await signIn(editor), 'approve');
      await panel(editor).getByText('Signed in as').waitFor();
      await editor.closeDialog('#node-config-dialog-ok');
      await editor.closeDialog('#node-dialog-ok');
      await editor.deploy();
      const stored = Object.values(await storedCredentials(nodeRed))[0]!;
      stored.should.have.properties(['clientSecret', 'refreshToken']);
    });

    it('stores the tokens of a token JSON from rclone when deployed', async () => {
      await openEditor(ABOUT_FLOW);
      await editor.openNode('about');
      await editor.addAccount();
      await fillAccount(editor, drive.url);
      await expandTokenField();
      await paste(editor.page, 'token-json', `token = ${JSON.stringify(token)}`);
      await message('token-json').filter({ hasText: 'refresh and access token' }).waitFor();
      (await editor.page.locator('#cloud-drive-token-json').inputValue()).should.equal('');
      const stored = await deployAccount();
      stored.should.containEql({ refreshToken: token.refresh_token, accessToken: token.access_token });
    });

    itLong('replaces pasted tokens with those of a later sign-in', async () => {
      await openEditor(ABOUT_FLOW);
      await editor.openNode('about');
      await editor.addAccount();
      await fillAccount(editor, drive.url);
      await expandTokenField();
      await paste(editor.page, 'token-json', JSON.stringify(token));
      await message('token-json')
        .filter({ hasText: accountText('record.token_taken') })
        .waitFor();
      await editor.closeDialog('#node-config-dialog-ok');
      await editor.openAccount();
      await decide(await signIn(editor), 'approve');
      await panel(editor).getByText('Signed in as').waitFor();
      const stored = await deployAccount();
      stored.refreshToken!.should.not.equal(token.refresh_token);
      stored.refreshToken!.length.should.be.above(10);
      stored.accessToken!.should.not.equal(token.access_token);
    });
  });
});
