/** The account's dialog in the real editor: records, each way a sign-in can end, and what must not come of it. */
import type { Browser } from 'playwright-core';
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT } from '../support/node-red/account';
import { clientRecord, decide, fillAccount, panel, paste, signIn } from '../support/editor/account-dialog';
import { startBrowser } from '../support/editor/browser';
import { EditorPage } from '../support/editor/editor-page';
import { type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { storedCredentials } from '../support/node-red/stored-credentials';

const FLOW = [
  { id: 'tab', type: 'tab', label: 'test' },
  { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 300, y: 80, account: '', wires: [[]] },
];

describe('the account’s dialog', function () {
  this.timeout(60_000);
  let browser: Browser;
  let drive: LocalDrive;
  let nodeRed: NodeRed;
  let editor: EditorPage;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1 });
    nodeRed = await startNodeRed();
    browser = await startBrowser();
  });

  beforeEach(async () => {
    await nodeRed.deploy(FLOW);
    editor = await EditorPage.open(browser, nodeRed.url);
    await editor.openNode('about');
    await editor.addAccount();
  });

  afterEach(() => editor.close());

  after(async () => {
    await browser?.close();
    await nodeRed?.close();
    await drive?.close();
  });

  const message = (field: 'client-json' | 'token-json') =>
    editor.page.locator(`#cloud-drive-${field}-message`);

  describe('client credentials record', () => {
    it('fills the fields, and its text is taken away', async () => {
      await paste(editor.page, 'client-json', clientRecord(drive.url));
      await message('client-json').and(editor.page.locator('.cloud-drive-good')).waitFor();
      (await editor.field('clientId', 'account').inputValue()).should.equal(CLIENT.id);
      (await editor.field('clientSecret', 'account').inputValue()).should.equal(CLIENT.secret);
      (await editor.field('tokenUrl', 'account').inputValue()).should.equal(`${drive.url}/token`);
      (await editor.page.locator('#cloud-drive-client-json').inputValue()).should.equal('');
      (await editor.page.content()).should.not.containEql(CLIENT.secret);
    });

    const withPage = (): string => {
      const record = JSON.parse(clientRecord(drive.url)) as { installed: object };
      return JSON.stringify({ installed: { ...record.installed, auth_uri: `${drive.url}/page` } });
    };
    const value = (property: string) => editor.field(property, 'account').inputValue();

    it('fills the addresses of a service of its own, wherever it is pasted, and says which', async () => {
      await editor.field('service', 'account').selectOption('custom');
      await editor.field('name', 'account').evaluate((element, text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', text);
        element.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
        );
      }, withPage());
      (await message('client-json').innerText()).should.equal(
        `Taken over: client ${CLIENT.id}. Filled in with it: Token, Sign-in page`,
      );
      (await value('authUrl')).should.equal(`${drive.url}/page`);
    });

    it('fills them too where the service is chosen after it, and nothing of the preset', async () => {
      await paste(editor.page, 'client-json', withPage());
      await message('client-json').and(editor.page.locator('.cloud-drive-good')).waitFor();
      (await value('authUrl')).should.equal('');
      await editor.field('service', 'account').selectOption('custom');
      (await value('authUrl')).should.equal(`${drive.url}/page`);
    });

    it('is taken from a file that is chosen', async () => {
      const buffer = Buffer.from(clientRecord(drive.url));
      const file = { name: 'client_secret.json', mimeType: 'application/json', buffer };
      await editor.page.locator('#cloud-drive-client-json-file').setInputFiles(file);
      await message('client-json').and(editor.page.locator('.cloud-drive-good')).waitFor();
      (await editor.field('clientId', 'account').inputValue()).should.equal(CLIENT.id);
    });

    it('is taken from a file that is dropped', async () => {
      await editor.page.locator('#cloud-drive-client-json').evaluate((element, text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], 'client_secret.json', { type: 'application/json' }));
        element.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      }, clientRecord(drive.url));
      await message('client-json').and(editor.page.locator('.cloud-drive-good')).waitFor();
      (await editor.field('clientSecret', 'account').inputValue()).should.equal(CLIENT.secret);
    });

    const bad: [string, RegExp][] = [
      ['{"installed":', /no JSON/],
      ['{"type":"service_account"}', /neither “installed” nor “web”/],
      [
        '{"installed":{"client_id":"x","client_secret":"y","token_uri":"x"}}',
        /“token_uri” in it is no address/,
      ],
      [
        '{"web":{"client_id":"x","client_secret":"y","token_uri":"http://a.example/"}}',
        /http:\/\/ and is not on/,
      ],
    ];
    it('says what is wrong beside the field, and changes nothing', async () => {
      for (const [text, expected] of bad) {
        await paste(editor.page, 'client-json', text);
        await message('client-json')
          .filter({ hasText: expected })
          .and(editor.page.locator('.cloud-drive-bad'))
          .waitFor();
        (await editor.field('clientId', 'account').inputValue()).should.equal('');
      }
    });
  });

  describe('signing in', () => {
    it('says that the person refused, and can begin anew', async () => {
      await fillAccount(editor, drive.url);
      await decide(browser, await signIn(editor), 'deny');
      await panel(editor).getByText('Refused', { exact: true }).waitFor();
      (await panel(editor).innerText()).should.containEql("refused on the service's page");
      await decide(browser, await signIn(editor), 'approve');
      await panel(editor).getByText('Signed in as').waitFor();
    });

    it('says what is missing or wrong', async () => {
      await panel(editor).getByRole('button', { name: 'Sign in' }).click();
      await panel(editor).getByText('The account has no client ID').waitFor();
      await fillAccount(editor, drive.url);
      await editor.field('clientId', 'account').fill('nobody');
      await panel(editor).getByRole('button', { name: 'Sign in' }).click();
      await panel(editor).getByText("doesn't take this client").waitFor();
      await editor.field('baseUrl', 'account').fill('http://drive.example');
      await editor.field('baseUrl', 'account').dispatchEvent('change');
      (await editor.field('baseUrl', 'account').getAttribute('class'))!.should.containEql('input-error');
      await panel(editor).getByRole('button', { name: 'Sign in' }).click();
      await panel(editor).getByText('where anybody on the way could read the token').waitFor();
    });

    it('ends with the button, and with Cancel of the dialog', async () => {
      await fillAccount(editor, drive.url);
      await signIn(editor);
      await panel(editor).getByRole('button', { name: 'Cancel' }).click();
      await panel(editor).getByRole('button', { name: 'Sign in' }).waitFor();
      await signIn(editor);
      const ended = editor.page.waitForResponse((answer) => answer.request().method() === 'DELETE');
      await editor.closeDialog('#node-config-dialog-cancel');
      (await ended).status().should.equal(204);
      const sessions = editor.answers.flatMap(
        ({ body }) => /"session":"([\da-f-]{36})"/.exec(body)?.[1] ?? [],
      );
      sessions.should.have.length(2);
      for (const session of sessions) {
        const answer = await nodeRed.request(`/cloud-drive-account/sign-in/${session}`);
        ((await answer.json()) as { state: string }).state.should.equal('cancelled');
      }
    });

    it('shows what servers say as text, and no link but to a web page', async () => {
      const displayName = '<img src=x onerror="window.broken=1">';
      await editor.page.route(/\/cloud-drive-account\/[\w.-]+\/sign-in$/, (route) =>
        route.fulfill({ status: 201, json: { session: 's' } }),
      );
      const pending = { state: 'pending', flow: 'device', expiresIn: 60, userCode: displayName };
      await editor.page.route(/\/cloud-drive-account\/sign-in\/s\b/, (route) =>
        route.fulfill({ json: { ...pending, verificationUrl: 'javascript:window.broken=1' } }),
      );
      await panel(editor).getByRole('button', { name: 'Sign in' }).click();
      await panel(editor).locator('.cloud-drive-code').getByText(displayName).waitFor();
      (await panel(editor).locator('a, img, svg').count()).should.equal(0);
    });
  });

  it('signs in from a node inside a subflow', async () => {
    await editor.close();
    await nodeRed.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { id: 'sub', type: 'subflow', name: 'sub', in: [], out: [] },
      { id: 'inner', type: 'cloud-drive-about', z: 'sub', x: 300, y: 80, account: '', wires: [[]] },
      { id: 'instance', type: 'subflow:sub', z: 'tab', x: 300, y: 80, wires: [] },
    ]);
    editor = await EditorPage.open(browser, nodeRed.url);
    await editor.show('sub');
    await editor.openNode('inner');
    await editor.addAccount();
    await fillAccount(editor, drive.url);
    await decide(browser, await signIn(editor), 'approve');
    await panel(editor).getByText('Signed in as').waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    const stored = Object.values(await storedCredentials(nodeRed))[0]!;
    stored.should.have.properties(['clientSecret', 'refreshToken']);
  });

  describe('a token that one has already', () => {
    const token = { access_token: 'canary-pasted-access', refresh_token: 'canary-pasted-refresh' };
    const openToken = () => editor.page.locator('#cloud-drive-have-token summary').click();
    const deployAll = async (): Promise<Record<string, string>> => {
      await editor.closeDialog('#node-config-dialog-ok');
      await editor.closeDialog('#node-dialog-ok');
      await editor.deploy();
      return Object.values(await storedCredentials(nodeRed))[0]!;
    };

    it('is stored with the deploy, pasted as rclone has it', async () => {
      await fillAccount(editor, drive.url);
      await openToken();
      await paste(editor.page, 'token-json', `token = ${JSON.stringify(token)}`);
      await message('token-json').filter({ hasText: 'refresh and access token' }).waitFor();
      (await editor.page.locator('#cloud-drive-token-json').inputValue()).should.equal('');
      const stored = await deployAll();
      stored.should.containEql({ refreshToken: token.refresh_token, accessToken: token.access_token });
    });

    it('is refused when it is none', async () => {
      await openToken();
      await paste(editor.page, 'token-json', '{"error":"invalid_grant"}');
      await message('token-json').filter({ hasText: 'failed (invalid_grant)' }).waitFor();
    });

    it('gives way to a sign-in that comes after it', async () => {
      await fillAccount(editor, drive.url);
      await openToken();
      await paste(editor.page, 'token-json', JSON.stringify(token));
      await message('token-json').filter({ hasText: 'Taken over' }).waitFor();
      await editor.closeDialog('#node-config-dialog-ok');
      await editor.openAccount();
      await decide(browser, await signIn(editor), 'approve');
      await panel(editor).getByText('Signed in as').waitFor();
      const stored = await deployAll();
      stored.refreshToken!.should.not.equal(token.refresh_token);
      stored.refreshToken!.length.should.be.above(10);
      stored.accessToken!.should.not.equal(token.access_token);
    });
  });
});
