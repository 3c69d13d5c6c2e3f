/** Refusals of Google lead to the page of its console where they can be fixed. */
import should from 'should';
import { decide, panel, paste, signIn } from '../support/editor/account-dialog';
import { ABOUT_FLOW, editorFixture } from '../support/editor/editor-fixture';
import type { EditorPage } from '../support/editor/editor-page';
import { type FakeGoogle, startFakeGoogle } from '../support/node-red/fake-google';

const CONSOLE = 'https://console.cloud.google.com';

describe('links from refusals', () => {
  let google: FakeGoogle;
  before(async () => (google = await startFakeGoogle()));
  const fixture = editorFixture(() => ABOUT_FLOW, { env: () => google.env });
  let editor: EditorPage;

  before(async () => {
    ({ editor } = fixture);
    await editor.openNode('about');
    await editor.addAccount();
  });
  after(() => google?.close());

  const href = (name: string) => panel(editor).getByRole('link', { name }).getAttribute('href');

  it('a rejected client leads to the clients of its project', async () => {
    const json = JSON.parse(google.clientJson) as { installed: object };
    const other = { ...json.installed, client_id: '123456789012-other.apps.googleusercontent.com' };
    await paste(editor.page, 'client-json', JSON.stringify({ installed: other }));
    await editor.page.locator('#cloud-drive-client-json-message.cloud-drive-good').waitFor();
    await panel(editor).getByRole('button', { name: 'Sign in' }).click();
    should(await href('Open the clients of this project')).equal(
      `${CONSOLE}/auth/clients?project=123456789012`,
    );
  });

  it('a denied sign-in leads to the audience, where test users are added and the app is published', async () => {
    await editor.field('clientId', 'account').fill('client-1.apps.test');
    await decide(await signIn(editor), 'deny');
    should(await href('Open the audience of this project')).equal(`${CONSOLE}/auth/audience`);
  });

  it('a disabled API leads to the page that enables it', async () => {
    google.drive.faults.add({
      kind: 'error',
      reason: 'accessNotConfigured',
      match: { path: /about/ },
      status: 403,
      times: 9,
    });
    await decide(await signIn(editor), 'approve');
    should(await href('Enable the Google Drive API')).equal(
      `${CONSOLE}/flows/enableapi?apiid=drive.googleapis.com`,
    );
  });
});
