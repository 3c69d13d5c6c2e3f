/** A flow node's dialog in the real editor: filled, saved, opened again with the same values. All of them: dialogs_long. */
import 'should';
import { editorFixture } from '../support/editor/editor-fixture';
import { FLOW, keepsWhatIsSet } from '../support/editor/dialogs';

describe('dialogs of the flow nodes', function () {
  this.timeout(60_000);
  const of = editorFixture(() => FLOW);

  for (const node of ['search-files', 'download']) {
    it(`${node} keeps what is set`, () => keepsWhatIsSet(of.editor, node));
  }

  it('shows only the rows that matter for the choice', async () => {
    await of.editor.openNode('download');
    const rows: Record<string, string[]> = {
      buffer: ['maxSize'],
      string: ['encoding', 'maxSize'],
      file: ['filename', 'overwrite'],
    };
    for (const [output, expected] of Object.entries(rows)) {
      await of.editor.field('output').selectOption(output);
      const visible = await of.editor.visibleRows(['encoding', 'maxSize', 'filename', 'overwrite']);
      visible.should.eql(expected);
    }
    await of.editor.closeDialog('#node-dialog-cancel');
    await of.editor.openNode('upload');
    await of.editor.field('source').selectOption('payload');
    (await of.editor.visibleRows(['data', 'filename', 'keepModifiedTime'])).should.eql(['data']);
    await of.editor.field('source').selectOption('file');
    (await of.editor.visibleRows(['data', 'filename', 'keepModifiedTime'])).should.eql([
      'filename',
      'keepModifiedTime',
    ]);
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('writes nothing wrong into the console', () => of.editor.errors.should.eql([]));
});
