/** Each flow node's dialog in the real editor: filled, saved, opened again with the same values, deployed. */
import 'should';
import { editorFixture } from '../support/editor-fixture';
import { FLOW, NODES, keepsWhatIsSet } from '../support/dialogs';

describe('dialogs of all flow nodes', function () {
  this.timeout(60_000);
  const of = editorFixture(() => FLOW);

  for (const node of NODES) {
    it(`${node} keeps what is set`, () => keepsWhatIsSet(of.editor, node));
  }

  it('gives transfers a second output while progress is ticked', async () => {
    for (const node of ['download', 'upload']) {
      (await of.editor.exported(node)).should.containEql({ outputs: 2, wires: [[], []] });
      await of.editor.openNode(node);
      await of.editor.field('progress').uncheck();
      await of.editor.closeDialog('#node-dialog-ok');
      (await of.editor.exported(node)).should.containEql({ outputs: 1, wires: [[]] });
    }
  });

  it('marks a number that is none, or below 0', async () => {
    await of.editor.openNode('list-folders');
    for (const [value, isWrong] of [
      ['-1', true],
      ['many', true],
      ['0', false],
      ['', false],
      ['${LIMIT}', false],
    ] as const) {
      await of.editor.field('limit').fill(value);
      await of.editor.field('limit').dispatchEvent('change');
      const isMarked =
        (await of.editor.field('limit').getAttribute('class'))?.includes('input-error') ?? false;
      isMarked.should.equal(isWrong, value);
    }
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('has a name for each field', async () => {
    for (const node of NODES) {
      await of.editor.openNode(node);
      (await of.editor.namelessFields()).should.eql([], node);
      await of.editor.closeDialog('#node-dialog-cancel');
    }
  });

  it('deploys, and has the same values after a reload', async () => {
    const before = await Promise.all(NODES.map((node) => of.editor.exported(node)));
    await of.editor.deploy();
    await of.editor.reload();
    (await Promise.all(NODES.map((node) => of.editor.exported(node)))).should.eql(before);
    of.editor.errors.should.eql([]);
  });
});
