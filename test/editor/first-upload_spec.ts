/**
 * The steps of a new user from an empty Node-RED to the first uploaded file, with the Google preset. Every press of a
 * mouse button counts, including both of a double click and the start of a drag.
 */
import should from 'should';
import { decide, panel, signIn } from '../support/editor/account-dialog';
import { type SpecBrowser, startBrowser } from '../support/editor/browser';
import { EditorPage } from '../support/editor/editor-page';
import { FirstUpload } from '../support/editor/first-upload';
import { type FakeGoogle, startFakeGoogle } from '../support/node-red/fake-google';
import { type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { closeAll } from '../support/close-all';

const MAX_CLICKS = 12;

describe('a new user’s first upload', () => {
  let google: FakeGoogle;
  let browser: SpecBrowser;
  let nodeRed: NodeRed;
  let editor: EditorPage;
  let user: FirstUpload;

  before(async () => {
    google = await startFakeGoogle();
    [nodeRed, browser] = await Promise.all([startNodeRed({ env: google.env }), startBrowser()]);
    editor = await EditorPage.open(browser, nodeRed.url);
    user = await FirstUpload.start(editor);
  });
  after(() => closeAll(browser, nodeRed, google));

  const problem = () => editor.page.locator('#node-input-targetName-problem');

  it('two nodes are dragged onto the canvas and wired', async () => {
    await user.placeNodes();
    should(await user.presses()).equal(3);
  });

  it('the upload dialog shows that the file has no name', async () => {
    await user.openDialog();
    (await problem().innerText()).should.equal(
      "Required: a file name. The Inject node before this node doesn't set msg.filename.",
    );
    const shown = editor.page.locator('#node-input-targetName + .red-ui-typedInput-container input').first();
    (await shown.getAttribute('placeholder'))!.should.equal('note.txt; empty = msg.filename');
  });

  it('a new account focuses the client JSON field and then the sign-in button', async () => {
    await editor.addAccount();
    await user.pasteClientJson(google.clientJson);
    // The button has the focus, so Enter would work as well.
    await panel(editor).locator('button:focus', { hasText: 'Sign in' }).waitFor();
    await decide(await signIn(editor), 'approve');
    await panel(editor).getByText('Signed in as').waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
  });

  it('the file is uploaded after a name is typed and the flow is deployed', async () => {
    await user.uploadAs('first.txt', () =>
      problem().filter({ hasText: /^$/ }).waitFor({ state: 'attached' }),
    );
    await user.node.locator('.red-ui-flow-node-status-label', { hasText: 'first.txt · 13 B' }).waitFor();
    const [file] = google.drive.files.in('root');
    file!.name.should.equal('first.txt');
    (await google.drive.files.contentOf(file!.id)).toString().should.match(/^\d{13}$/);
  });

  it(`a first upload takes at most ${MAX_CLICKS} clicks`, async () => {
    const double = 1;
    ((await user.presses()) + double).should.be.belowOrEqual(MAX_CLICKS);
  });
});
