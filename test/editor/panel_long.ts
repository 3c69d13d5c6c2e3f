/** The sign-in panel with late responses, and in a browser with another language than Node-RED's. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { panel, paste } from '../support/editor/account-dialog';
import { editorFixture } from '../support/editor/editor-fixture';
import { EditorPage } from '../support/editor/editor-page';
import { accountText, textsOf } from '../support/languages';
import type { DeployedNode } from '../support/node-red/node-red';

describe('sign-in panel', () => {
  let drive: LocalDrive;
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
  });
  after(() => drive?.close());
  const fixture = editorFixture(() => flow(drive));
  const nextFrame = () =>
    fixture.editor.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));

  it('doesn’t tell the user of an open panel to open it, in any language of Node-RED', async () => {
    const browser = fixture.editor.page.context().browser()!;
    const german = await EditorPage.open(browser, fixture.nodeRed.url, { locale: 'de-DE' });
    await german.openNode('about');
    await german.field('account').selectOption('other');
    await german.openAccount();
    await panel(german).getByRole('button', { name: 'Anmelden' }).waitFor();
    const said = await panel(german).innerText();
    said.should.startWith(textsOf('account', 'de').get('panel.not_signed_in')!);
    said.should.not.match(accountText('errors.sign_in_required'));
    await german.close();
  });

  it('shows a sign-out only when complete, and doesn’t change another account opened meanwhile', async () => {
    const { editor } = fixture;
    await editor.openNode('about');
    await editor.openAccount();
    await panel(editor).getByText('Signed in').first().waitFor();
    // The dialog asks several times, and on a busy machine a response from before the sign-out may arrive now.
    const refreshed = editor.page.waitForResponse(
      async (response) =>
        /account\/account\?/.test(response.url()) && (await response.text()).includes('"signedIn":false'),
    );
    const deliver = await delayResponse(editor, /account\/account\/sign-in/);
    await panel(editor).getByRole('button', { name: 'Sign out' }).click();
    // The notification arrives before the response.
    await refreshed;
    await nextFrame();
    (await panel(editor).innerText()).should.equal('Signing out…');

    await editor.closeDialog('#node-config-dialog-cancel');
    await editor.field('account').selectOption('other');
    await editor.openAccount();
    await editor.page.locator('#cloud-drive-have-token summary').click();
    await paste(editor.page, 'token-json', '{"refresh_token":"canary-pasted"}');
    await editor.field('refreshToken', 'account').waitFor({ state: 'attached' });
    await deliver();
    await nextFrame();
    (await editor.field('refreshToken', 'account').count()).should.equal(1);
  });
});

/** Delays a response of Node-RED. @returns a function that delivers it, and resolves when it has arrived */
async function delayResponse({ page }: EditorPage, address: RegExp): Promise<() => Promise<unknown>> {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  await page.route(
    address,
    async (route) => {
      const response = await route.fetch();
      await opened;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  const arrived = page.waitForResponse((response) => address.test(response.url()));
  return () => {
    open();
    return arrived;
  };
}

function flow(drive: LocalDrive): DeployedNode[] {
  const account = { type: 'cloud-drive-account', ...customAccount(drive.url) };
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    { ...account, id: 'account', name: 'Drive', credentials: { ...CREDENTIALS } },
    { ...account, id: 'other', name: 'Other', credentials: { ...CREDENTIALS, refreshToken: '' } },
    { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 300, y: 80, account: 'account', wires: [[]] },
  ];
}
