/** One Node-RED with a flow, and one browser with its editor, for all tests of a suite. */
import { type SpecBrowser, startBrowser } from './browser';
import { EditorPage, type OpenOptions } from './editor-page';
import { type DeployedNode, type NodeRed, type NodeRedOptions, startNodeRed } from '../node-red/node-red';
import { atEnd } from '../run/at-end';
import { closeAll } from '../close-all';

export interface EditorFixture {
  readonly nodeRed: NodeRed;
  readonly editor: EditorPage;
}

export interface EditorFixtureOptions extends Pick<NodeRedOptions, 'settings'>, OpenOptions {
  /** The environment of Node-RED. Called once, like the flow. */
  env?: () => Record<string, string>;
}

/** The Node-RED with default settings of this process, which its suites use one after the other. */
let shared: Promise<NodeRed> | undefined;

/** @returns the shared Node-RED, which must not be restarted. Close {@link sharedFlows} after the tests */
export async function sharedNodeRed(): Promise<NodeRed> {
  if (!shared) {
    shared = startNodeRed();
    atEnd(async () => (await shared)?.close());
  }
  return shared;
}

/** Without flows, Node-RED also forgets the credentials. */
export const sharedFlows = { close: async () => (await shared)?.deploy([]) };

/**
 * @param flow called once, after the suite's earlier `before` hooks. Suites without settings and environment share a
 *   Node-RED, so they must not restart it.
 */
export function editorFixture(
  flow: () => DeployedNode[],
  { settings, env, ...open }: EditorFixtureOptions = {},
): EditorFixture {
  const isShared = !settings && !env;
  let browser: SpecBrowser;
  let nodeRed: NodeRed;
  let editor: EditorPage;
  before(async () => {
    const started = isShared
      ? sharedNodeRed()
      : startNodeRed({ settings: settings ?? {}, env: env?.() ?? {} });
    [nodeRed, browser] = await Promise.all([started, startBrowser()]);
    await nodeRed.deploy(flow());
    editor = await EditorPage.open(browser, nodeRed.url, open);
  });
  after(() => closeAll(editor, browser, isShared ? sharedFlows : nodeRed));
  return {
    get nodeRed() {
      return nodeRed;
    },
    get editor() {
      return editor;
    },
  };
}
