/**
 * The steps of a new user from an empty Node-RED to the first uploaded file, with the Google preset. Every press of a
 * mouse button counts, including both of a double click and the start of a drag.
 */
import type { Browser, Locator } from 'playwright-core';
import should from 'should';
import { decide, panel } from '../support/editor/account-dialog';
import { startBrowser } from '../support/editor/browser';
import { EditorPage } from '../support/editor/editor-page';
import { type FakeGoogle, startFakeGoogle } from '../support/node-red/fake-google';
import { type NodeRed, startNodeRed } from '../support/node-red/node-red';

const MAX_CLICKS = 12;

describe('a new user’s first upload', () => {
  let google: FakeGoogle;
  let browser: Browser;
  let nodeRed: NodeRed;
  let editor: EditorPage;

  before(async () => {
    google = await startFakeGoogle();
    [nodeRed, browser] = await Promise.all([startNodeRed({ env: google.env }), startBrowser()]);
    editor = await EditorPage.open(browser, nodeRed.url);
    await editor.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await editor.page.evaluate(() => {
      const counted = window as unknown as { presses: number };
      counted.presses = 0;
      window.addEventListener('mousedown', () => (counted.presses += 1), true);
    });
  });
  after(async () => {
    await browser?.close();
    await nodeRed?.close();
    await google?.close();
  });

  const presses = () => editor.page.evaluate(() => (window as unknown as { presses: number }).presses);
  const upload = () => editor.page.locator('.red-ui-flow-node-group').nth(1);
  const problem = () => editor.page.locator('#node-input-targetName-problem');

  async function center(of: Locator): Promise<[x: number, y: number]> {
    await of.scrollIntoViewIfNeeded();
    const box = (await of.boundingBox())!;
    return [box.x + box.width / 2, box.y + box.height / 2];
  }

  async function drag(from: Locator, to: [x: number, y: number]): Promise<void> {
    const { mouse } = editor.page;
    await mouse.move(...(await center(from)));
    await mouse.down();
    await mouse.move(to[0] - 30, to[1], { steps: 5 });
    await mouse.move(...to, { steps: 5 });
    await mouse.up();
  }

  const inPalette = (type: string) =>
    editor.page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`);

  it('two nodes are dragged onto the canvas and wired', async () => {
    await drag(inPalette('inject'), [500, 200]);
    await drag(inPalette('cloud-drive-upload'), [700, 300]);
    const nodes = editor.page.locator('.red-ui-flow-node-group');
    await nodes.nth(1).waitFor();
    const input = nodes.nth(1).locator('.red-ui-flow-port-input');
    await drag(nodes.first().locator('.red-ui-flow-port-output'), await center(input));
    await editor.page.locator('.red-ui-flow-link-line').first().waitFor();
    should(await presses()).equal(3);
  });

  it('the upload dialog shows that the file has no name', async () => {
    // A double click would count twice, and fails on a busy machine if the clicks are too far apart.
    await upload().locator('.red-ui-flow-node').click();
    await editor.page.keyboard.press('Enter');
    await editor.page.locator('#node-dialog-ok').waitFor();
    (await problem().innerText()).should.equal(
      'Needed: a name for the file, since the Inject node before this one sets no msg.filename',
    );
    const shown = editor.page.locator('#node-input-targetName + .red-ui-typedInput-container input').first();
    (await shown.getAttribute('placeholder'))!.should.equal('note.txt; empty: msg.filename');
  });

  it('a new account focuses the client JSON field and then the sign-in button', async () => {
    await editor.addAccount();
    await editor.page.locator('#cloud-drive-client-json:focus').waitFor();
    await editor.page.evaluate((text) => navigator.clipboard.writeText(text), google.clientJson);
    await editor.page.keyboard.press('Control+V');
    await editor.page.locator('#cloud-drive-client-json-message.cloud-drive-good').waitFor();
    // The button has the focus, so Enter would work as well.
    await panel(editor).locator('button:focus', { hasText: 'Sign in' }).click();
    const code = await panel(editor).locator('.cloud-drive-code').innerText();
    const link = await panel(editor).locator('a').first().getAttribute('href');
    await decide(browser, { code, link: link! }, 'approve');
    await panel(editor).getByText('Signed in as').waitFor();
    await editor.closeDialog('#node-config-dialog-ok');
  });

  it('the file is uploaded after a name is typed and the flow is deployed', async () => {
    const name = editor.page.locator('#node-input-targetName + .red-ui-typedInput-container input').first();
    await name.click();
    await editor.page.keyboard.type('first.txt');
    await name.blur();
    (await problem().innerText()).should.equal('');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    await editor.page.locator('.red-ui-flow-node-button-button').click();
    await upload().locator('.red-ui-flow-node-status-label', { hasText: 'done' }).waitFor();
    const [file] = google.drive.files.in('root');
    file!.name.should.equal('first.txt');
    (await google.drive.files.contentOf(file!.id)).toString().should.match(/^\d{13}$/);
  });

  it(`a first upload takes at most ${MAX_CLICKS} clicks`, async () => {
    const double = 1;
    ((await presses()) + double).should.be.belowOrEqual(MAX_CLICKS);
  });

  it('logs no error in the console', () => {
    editor.errors.should.eql([]);
  });
});
