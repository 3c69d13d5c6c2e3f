/** Each example, imported from the editor's menu. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { exportedNodes } from '../support/editor/editor-fields';
import { editorFixture } from '../support/editor/editor-fixture';
import { EXAMPLES } from '../support/node-red/examples';
import { importExample } from '../support/editor/import-example';
import { ALL_CORE_NODES, type DeployedNode } from '../support/node-red/node-red';

const PACKAGE = 'node-red-contrib-cloud-drive';
const NAMES = readdirSync(EXAMPLES).map((file) => path.basename(file, '.json'));
const EMPTY: DeployedNode[] = [{ id: 'tab', type: 'tab', label: 'test' }];

function nodesOf(example: string): DeployedNode[] {
  return JSON.parse(readFileSync(path.join(EXAMPLES, `${example}.json`), 'utf8')) as DeployedNode[];
}

describe('examples in the editor', () => {
  const fixture = editorFixture(() => EMPTY, { settings: ALL_CORE_NODES });
  const unknown = () => fixture.editor.page.locator('.red-ui-flow-node-unknown').count();

  beforeEach(async () => {
    await fixture.nodeRed.deploy(EMPTY);
    await fixture.editor.reload();
  });

  for (const name of NAMES) {
    it(`${name} is imported completely and has no unknown nodes`, async () => {
      await importExample(fixture.editor.page, PACKAGE, name);
      const nodes = nodesOf(name);
      await fixture.editor.show(nodes.find(({ type }) => type === 'tab')!.id);
      for (const { id, type, z } of nodes) {
        (await fixture.editor.exported(id)).should.have.property('type', type);
        if (z !== undefined) await fixture.editor.page.locator(`[id="${id}"]`).waitFor();
      }
      (await unknown()).should.equal(0);
    });
  }

  it('a second example uses the account of the first', async () => {
    const { page } = fixture.editor;
    await importExample(page, PACKAGE, 'about');
    await importExample(page, PACKAGE, 'upload');
    await page.locator('.red-ui-notification').getByRole('button', { name: 'Import copy' }).click();
    await page.locator('.red-ui-notification', { hasText: 'existing' }).waitFor({ state: 'detached' });
    const nodes = await exportedNodes(page);
    nodes.filter(({ type }) => type === 'tab').should.have.length(3);
    const [account, ...more] = nodes.filter(({ type }) => type === 'cloud-drive-account');
    more.should.eql([]);
    const used = nodes.flatMap((node) => ('account' in node ? [node['account']] : []));
    new Set(used).should.eql(new Set([account!['id']]));
  });
});
