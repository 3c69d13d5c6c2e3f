/** What the account's dialog shows and focuses when it opens: what comes next. */
import should from 'should';
import { CLIENT, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { clientJson, panel, paste } from '../support/editor/account-dialog';
import { editorFixture } from '../support/editor/editor-fixture';
import type { EditorPage } from '../support/editor/editor-page';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import type { DeployedNode } from '../support/node-red/node-red';
import { itLong } from '../support/run/long';

describe('the account’s dialog, when it opens', () => {
  let drive: LocalDrive;
  let editor: EditorPage;

  const about = (name: string, y: number): DeployedNode => ({
    ...{ id: `about-${name}`, type: 'cloud-drive-about', z: 'tab', x: 300, y },
    ...{ account: name, wires: [[]] },
  });
  const credentials = { clientId: CLIENT.id, clientSecret: CLIENT.secret };

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
  });
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    { id: 'google', type: 'cloud-drive-account', credentials },
    {
      ...{ id: 'local', type: 'cloud-drive-account', ...customAccount(drive.url) },
      credentials: { ...credentials, refreshToken: REFRESH_TOKEN },
    },
    about('google', 80),
    about('local', 180),
    about('', 280),
  ]);
  before(async () => {
    ({ editor } = fixture);
    await editor.page.setViewportSize({ width: 1440, height: 900 });
  });
  after(() => drive?.close());
  afterEach(async () => {
    await editor.closeDialog('#node-config-dialog-cancel');
    await editor.closeDialog('#node-dialog-cancel');
  });

  const state = (step: string) => editor.page.locator(`#cloud-drive-step-${step}`).getAttribute('data-state');
  const value = (property: string) => editor.field(property, 'account').inputValue();

  it('with a client that isn’t signed in, the sign-in button is focused and visible without scrolling', async () => {
    await editor.openNode('about-google');
    await editor.openAccount();
    const button = panel(editor).locator('button:focus', { hasText: 'Sign in' });
    await button.waitFor();
    const body = editor.page.locator('.red-ui-tray-body').last();
    (await body.evaluate((element) => element.scrollTop)).should.equal(0);
    const [inner, outer] = [(await button.boundingBox())!, (await body.boundingBox())!];
    inner.y.should.be.aboveOrEqual(outer.y);
    (inner.y + inner.height).should.be.belowOrEqual(outer.y + outer.height);
  });

  describe('before the state of the account is known', () => {
    let release = (): void => undefined;
    beforeEach(async () => {
      const released = new Promise<void>((resolve) => (release = resolve));
      await editor.page.route(/\/cloud-drive-account\/\w+\?/, (route) =>
        released.then(() => route.continue()),
      );
    });
    afterEach(async () => {
      release();
      await editor.page.unrouteAll();
    });
    const untilKnown = async (): Promise<void> => {
      release();
      await panel(editor).getByRole('button', { name: 'Sign in' }).waitFor();
    };

    it('the focus stays where the user types', async () => {
      await editor.openNode('about-google');
      await editor.openAccount();
      await editor.field('name', 'account').click();
      await editor.page.keyboard.type('My ');
      await untilKnown();
      await editor.page.keyboard.type('drive');
      (await value('name')).should.equal('My drive');
    });

    it('the focus stays at the offer to use the service of a pasted client', async () => {
      await editor.openNode('about-');
      await editor.addAccount();
      await paste(editor.page, 'client-json', clientJson(drive.url));
      const offer = editor.page.locator('button:focus', { hasText: new URL(drive.url).host });
      await offer.waitFor();
      await untilKnown();
      (await offer.count()).should.equal(1);
    });
  });

  it('signed in, the user and Sign out come first, and the finished steps are collapsed', async () => {
    await editor.openNode('about-local');
    await editor.openAccount();
    await panel(editor).getByText('Signed in').first().waitFor();
    const panelBox = (await panel(editor).boundingBox())!;
    const nameBox = (await editor.field('name', 'account').boundingBox())!;
    panelBox.y.should.be.below(nameBox.y);
    should(await panel(editor).getByRole('button', { name: 'Sign out' }).isVisible()).be.true();
    should(await editor.field('clientId', 'account').isVisible()).be.false();
  });

  itLong('no step of a new account is done before those that it depends on', async () => {
    await editor.openNode('about-');
    await editor.addAccount();
    [await state('client'), await state('scope'), await state('sign-in')].should.eql([
      'next',
      'later',
      'later',
    ]);
  });

  it('another service starts with its URL, from which the other URLs are filled in', async () => {
    await editor.openNode('about-');
    await editor.addAccount();
    await editor.field('service', 'account').selectOption('custom');
    await editor.page.locator('#node-config-input-baseUrl:focus').waitFor();
    [await state('service'), await state('client')].should.eql(['next', 'later']);
    const problem = editor.page.locator('#node-config-input-baseUrl-problem');
    (await problem.innerText()).should.not.equal('');
    await editor.page.keyboard.type('https://files.example/api/');
    await editor.page.keyboard.press('Tab');
    (await problem.innerText()).should.equal('');
    (await state('service'))!.should.equal('done');
    const urls = ['tokenUrl', 'deviceUrl', 'authUrl', 'revokeUrl'];
    (await Promise.all(urls.map(value))).should.eql([
      'https://files.example/token',
      'https://files.example/device/code',
      'https://files.example/o/oauth2/v2/auth',
      'https://files.example/revoke',
    ]);
    should(await editor.field('tokenUrl', 'account').isVisible()).be.false();
  });

  itLong('a URL that the user has changed is kept when the service URL changes', async () => {
    await editor.openNode('about-');
    await editor.addAccount();
    await editor.field('service', 'account').selectOption('custom');
    await editor.field('baseUrl', 'account').fill('https://files.example');
    await editor.page.locator('#cloud-drive-other-urls summary').click();
    await editor.field('tokenUrl', 'account').fill('https://login.example/token');
    await editor.field('baseUrl', 'account').fill('https://other.example');
    (await value('tokenUrl')).should.equal('https://login.example/token');
    (await value('deviceUrl')).should.equal('https://other.example/device/code');
  });
});
