/** One Node-RED with a flow, and one browser with its editor, for all tests of a suite. */
import { type SpecBrowser, startBrowser } from './browser';
import { EditorPage, type OpenOptions } from './editor-page';
import { type DeployedNode, type NodeRed, type NodeRedOptions, startNodeRed } from '../node-red/node-red';
import { closeAll } from '../close-all';

export interface EditorFixture {
  readonly nodeRed: NodeRed;
  readonly editor: EditorPage;
}

export interface EditorFixtureOptions extends Pick<NodeRedOptions, 'settings'>, OpenOptions {
  /** The environment of Node-RED. Called once, like the flow. */
  env?: () => Record<string, string>;
}

/** @param flow called once, after the suite's earlier `before` hooks */
export function editorFixture(
  flow: () => DeployedNode[],
  { settings = {}, env = () => ({}), ...open }: EditorFixtureOptions = {},
): EditorFixture {
  let browser: SpecBrowser;
  let nodeRed: NodeRed;
  let editor: EditorPage;
  before(async () => {
    [nodeRed, browser] = await Promise.all([startNodeRed({ settings, env: env() }), startBrowser()]);
    await nodeRed.deploy(flow());
    editor = await EditorPage.open(browser, nodeRed.url, open);
  });
  after(() => closeAll(browser, nodeRed));
  return {
    get nodeRed() {
      return nodeRed;
    },
    get editor() {
      return editor;
    },
  };
}
