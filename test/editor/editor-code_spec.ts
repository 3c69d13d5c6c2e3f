/** The code of all dialogs, which the editor loads once. */
import 'should';
import { startBrowser, type SpecBrowser } from '../support/editor/browser';
import { EditorPage } from '../support/editor/editor-page';
import { closeAll } from '../support/close-all';
import { type NodeRed, startNodeRed } from '../support/node-red/node-red';

const ACCOUNT_SET = '/nodes/node-red-contrib-cloud-drive/cloud-drive-account';
/** Without the account, which is a config node. */
const FLOW_NODES = 16;

describe('the code of the dialogs', () => {
  let nodeRed: NodeRed;
  let browser: SpecBrowser;

  before(async () => {
    // A prefix, because the URL of the code has to be relative to the editor.
    [nodeRed, browser] = await Promise.all([
      startNodeRed({ settings: { httpAdminRoot: '/admin' } }),
      startBrowser(),
    ]);
  });
  after(() => closeAll(browser, nodeRed));

  async function enableAccount(enabled: boolean): Promise<void> {
    const response = await nodeRed.request(ACCOUNT_SET, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ enabled }),
    });
    response.status.should.equal(200);
  }

  /** Opens the editor. @returns also the URLs of its scripts of this package */
  async function open(): Promise<{ editor: EditorPage; loaded: string[] }> {
    const loaded: string[] = [];
    const editor = await EditorPage.open(
      {
        newPage: (options) => browser.newPage(options),
        close: () => browser.close(),
        newContext: async (options) => {
          const context = await browser.newContext(options);
          context.on('request', (request) => {
            const { pathname } = new URL(request.url());
            if (pathname.includes('/resources/node-red-contrib-cloud-drive/')) loaded.push(pathname);
          });
          return context;
        },
      },
      nodeRed.url,
      { isNew: true },
    );
    return { editor, loaded };
  }

  const registered = (editor: EditorPage): Promise<string[]> =>
    editor.page
      .locator('.red-ui-palette-node[data-palette-type^="cloud-drive-"]')
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-palette-type') ?? ''));
  const hasAccount = (editor: EditorPage): Promise<boolean> =>
    editor.page.evaluate(() => RED.nodes.getType('cloud-drive-account') !== undefined);

  it('the editor loads the code of all 17 dialogs with one request', async () => {
    const { editor, loaded } = await open();
    loaded.should.eql(['/admin/resources/node-red-contrib-cloud-drive/editor.js']);
    (await registered(editor)).should.have.length(FLOW_NODES);
    (await hasAccount(editor)).should.be.true();
    await editor.close();
  });

  it('the other nodes are registered if the account is disabled in the palette, and the account once it is enabled', async () => {
    await enableAccount(false);
    const { editor, loaded } = await open();
    loaded.should.have.length(1);
    (await registered(editor)).should.have.length(FLOW_NODES);
    (await hasAccount(editor)).should.be.false();

    await enableAccount(true);
    await editor.page.waitForFunction(() => RED.nodes.getType('cloud-drive-account') !== undefined);
    await editor.close();
  });
});
