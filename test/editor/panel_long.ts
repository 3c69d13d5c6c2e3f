/** The sign-in panel when answers come late, and when Node-RED speaks another language than the browser. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { panel, paste } from '../support/editor/account-dialog';
import { editorFixture } from '../support/editor/editor-fixture';
import { EditorPage } from '../support/editor/editor-page';
import type { DeployedNode } from '../support/node-red/node-red';

describe('the sign-in panel', function () {
  this.timeout(60_000);
  let drive: LocalDrive;
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
  });
  after(() => drive?.close());
  const of = editorFixture(() => flow(drive));
  const drawn = () =>
    of.editor.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));

  it('does not send those away who are about to sign in, whatever language Node-RED speaks', async () => {
    const browser = of.editor.page.context().browser()!;
    const german = await EditorPage.open(browser, of.nodeRed.url, { locale: 'de-DE' });
    await german.openNode('about');
    await german.field('account').selectOption('other');
    await german.openAccount();
    await panel(german).getByRole('button', { name: 'Anmelden' }).waitFor();
    const said = await panel(german).innerText();
    said.should.startWith('Noch nicht angemeldet').and.not.containEql('Nobody is signed in');
    await german.close();
  });

  it('shows a sign-out when it is done, and leaves alone another account that is open by then', async () => {
    const { editor } = of;
    await editor.openNode('about');
    await editor.openAccount();
    await panel(editor).getByText('Signed in').first().waitFor();
    const asked = editor.page.waitForResponse((response) => /account\/account\?/.test(response.url()));
    const answer = await held(editor, /account\/account\/sign-in/);
    await panel(editor).getByRole('button', { name: 'Sign out' }).click();
    // The news of it are here before its answer is.
    (await (await asked).text()).should.containEql('"signedIn":false');
    await drawn();
    (await panel(editor).innerText()).should.equal('Signing out…');

    await editor.closeDialog('#node-config-dialog-cancel');
    await editor.field('account').selectOption('other');
    await editor.openAccount();
    await editor.page.locator('#cloud-drive-have-token summary').click();
    await paste(editor.page, 'token-json', '{"refresh_token":"canary-pasted"}');
    await editor.field('refreshToken', 'account').waitFor({ state: 'attached' });
    await answer();
    await drawn();
    (await editor.field('refreshToken', 'account').count()).should.equal(1);
  });
});

/** Keeps back an answer that Node-RED has given. @returns lets it through, and resolves when it has come */
async function held({ page }: EditorPage, address: RegExp): Promise<() => Promise<unknown>> {
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
  const come = page.waitForResponse((response) => address.test(response.url()));
  return () => {
    open();
    return come;
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
