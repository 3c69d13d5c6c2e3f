/** One Node-RED with a flow, and one browser with its editor, for all tests of a suite. */
import { type SpecBrowser, startBrowser } from './browser';
import { EditorPage, type OpenOptions } from './editor-page';
import { type DeployedNode, type NodeRed, type NodeRedOptions, startNodeRed } from '../node-red/node-red';
import { sharedFlows, sharedNodeRed } from '../node-red/shared-node-red';
import { closeAll } from '../close-all';

/** A node whose account isn't set. */
export const ABOUT_FLOW: DeployedNode[] = [
  { id: 'tab', type: 'tab', label: 'test' },
  { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 300, y: 80, account: '', wires: [[]] },
];

export interface EditorFixtureOptions extends Pick<NodeRedOptions, 'settings'>, OpenOptions {
  /** The environment of Node-RED. Called once, like the flow. */
  env?: () => Record<string, string>;
}

export class EditorFixture {
  browser!: SpecBrowser;
  nodeRed!: NodeRed;
  editor!: EditorPage;

  /**
   * @param flow called once, after the suite's earlier `before` hooks. Suites without settings and environment share a
   *   Node-RED, one after the other.
   */
  constructor(flow: () => DeployedNode[], { settings, env, ...open }: EditorFixtureOptions = {}) {
    const isShared = !settings && !env;
    before(async () => {
      const started = isShared
        ? sharedNodeRed()
        : startNodeRed({ settings: settings ?? {}, env: env?.() ?? {} });
      [this.nodeRed, this.browser] = await Promise.all([started, startBrowser()]);
      await this.nodeRed.deploy(flow());
      this.editor = await EditorPage.open(this.browser, this.nodeRed.url, open);
    });
    after(() => closeAll(this.editor, this.browser, isShared ? sharedFlows : this.nodeRed));
  }
}

export function editorFixture(flow: () => DeployedNode[], options?: EditorFixtureOptions): EditorFixture {
  return new EditorFixture(flow, options);
}
