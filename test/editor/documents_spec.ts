/** The flows in the documentation are imported into the editor as a reader does it: every setting is valid. */
import 'should';
import { readDocument } from '../docs/markdown';
import { PAGES } from '../docs/pages';
import { CREDENTIALS, customAccount } from '../support/node-red/account';
import { editorFixture } from '../support/editor/editor-fixture';
import { ALL_CORE_NODES, type DeployedNode } from '../support/node-red/node-red';

/** The id that the documentation and the examples use. */
const ACCOUNT = 'cd0account000001';

describe('flows in the documentation', () => {
  const account = { id: ACCOUNT, type: 'cloud-drive-account', name: 'My drive' };
  const fixture = editorFixture(
    (): DeployedNode[] => [
      { id: 'tab', type: 'tab', label: 'test' },
      { ...account, ...customAccount('http://127.0.0.1:9'), credentials: CREDENTIALS },
    ],
    { settings: ALL_CORE_NODES },
  );

  /** A flow whose nodes have other IDs than those of other pages, as if each were imported alone. */
  const shownFlow = async (name: string): Promise<{ id: string }[]> => {
    const { code } = await readDocument(`docs/nodes/${name}.md`);
    const { text } = code.find(({ language }) => language === 'json')!;
    const ids = (JSON.parse(text) as { id: string }[]).map(({ id }) => id).filter((id) => id !== ACCOUNT);
    const renamed = ids.reduce((all, id) => all.replaceAll(`"${id}"`, `"${name}-${id}"`), text);
    return JSON.parse(renamed) as { id: string }[];
  };

  /** The editor asks what to do, because the account exists already. */
  const paste = async (flow: string): Promise<void> => {
    const { page } = fixture.editor;
    await page.evaluate(() => RED.actions.invoke('core:show-import-dialog'));
    const text = page.locator('#red-ui-clipboard-dialog-import-text');
    await text.fill(flow);
    // The editor parses the text on keyup.
    await text.press('End');
    await page.locator('#red-ui-clipboard-dialog-ok').click();
    const copy = page.locator('.red-ui-notification').getByRole('button', { name: 'Import copy' });
    await copy.click();
    await copy.waitFor({ state: 'detached' });
    await page.locator('#red-ui-workspace-chart').click({ position: { x: 400, y: 300 } });
  };

  it('are imported completely, use the existing account, and are valid', async () => {
    const flows = (await Promise.all(PAGES.map(shownFlow))).flat();
    const nodes = flows.filter(
      ({ id }, index) => id !== ACCOUNT || flows.findIndex((each) => each.id === id) === index,
    );
    await paste(JSON.stringify(nodes));
    const shown = await fixture.editor.page.evaluate(() => {
      const found: Pick<NodeInEditor, 'type' | 'valid' | 'account' | 'validationErrors'>[] = [];
      RED.nodes.eachNode(({ type, valid, account, validationErrors }) =>
        found.push({ type, valid, account, validationErrors }),
      );
      return found;
    });
    const ours = shown.filter(({ type }) => type.startsWith('cloud-drive-'));
    ours
      .map(({ type }) => type)
      .sort()
      .should.eql(PAGES.map((name) => `cloud-drive-${name}`).sort());
    shown.filter(({ valid }) => !valid).should.eql([]);
    new Set(ours.map(({ account }) => account)).should.eql(new Set([ACCOUNT]));
  });
});
