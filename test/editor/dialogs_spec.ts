/** Dialogs in the real editor keep all values when saved and reopened. dialogs_long tests all of them. */
import 'should';
import { editorFixture } from '../support/editor/editor-fixture';
import { FLOW, expectSettingsSaved } from '../support/editor/dialogs';

describe('dialogs of the flow nodes', () => {
  const fixture = editorFixture(() => FLOW);

  for (const node of ['search-files', 'download']) {
    it(`${node} saves and reloads every setting`, () => expectSettingsSaved(fixture.editor, node));
  }

  it('download and upload show only the rows that apply to the selected mode', async () => {
    await fixture.editor.openNode('download');
    await fixture.editor.openSections();
    const rows: Record<string, string[]> = {
      buffer: ['maxSize'],
      string: ['encoding', 'maxSize'],
      file: ['filename', 'overwrite'],
    };
    for (const [output, expected] of Object.entries(rows)) {
      await fixture.editor.field('output').selectOption(output);
      const visible = await fixture.editor.visibleRows(['encoding', 'maxSize', 'filename', 'overwrite']);
      visible.should.eql(expected);
    }
    await fixture.editor.closeDialog('#node-dialog-cancel');
    await fixture.editor.openNode('upload');
    await fixture.editor.openSections();
    await fixture.editor.field('source').selectOption('payload');
    (await fixture.editor.visibleRows(['data', 'filename', 'keepModifiedTime'])).should.eql(['data']);
    await fixture.editor.field('source').selectOption('file');
    (await fixture.editor.visibleRows(['data', 'filename', 'keepModifiedTime'])).should.eql([
      'filename',
      'keepModifiedTime',
    ]);
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('drive request shows only the rows that apply to the selected method', async () => {
    await fixture.editor.openNode('request');
    const rows: Record<string, string[]> = {
      GET: ['pages'],
      POST: ['body', 'repeatable'],
      PATCH: ['body'],
      DELETE: [],
    };
    for (const [method, expected] of Object.entries(rows)) {
      await fixture.editor.field('method').selectOption(method);
      const visible = await fixture.editor.visibleRows(['body', 'pages', 'repeatable']);
      visible.should.eql(expected);
    }
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('logs no error in the console', () => fixture.editor.errors.should.eql([]));
});
