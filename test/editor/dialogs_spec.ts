/** Dialogs in the real editor keep all values when saved and reopened. dialogs_long tests all of them. */
import 'should';
import { editorFixture } from '../support/editor/editor-fixture';
import { FLOW, expectSettingsSaved } from '../support/editor/dialogs';

/** The visible rows by value of a select or checkbox. */
const ROWS: [node: string, control: string, visible: Record<string, string[]>][] = [
  [
    'download',
    'output',
    { buffer: ['maxSize'], string: ['encoding', 'maxSize'], file: ['filename', 'overwrite'] },
  ],
  ['upload', 'source', { payload: ['data'], file: ['filename', 'keepModifiedTime'] }],
  ['request', 'method', { GET: ['pages'], POST: ['body', 'repeatable'], PATCH: ['body'], DELETE: [] }],
  ['search-files', 'recursive', { true: ['maxDepth'], false: [] }],
];

describe('dialogs of the flow nodes', () => {
  const fixture = editorFixture(() => FLOW);

  for (const node of ['search-files', 'download']) {
    it(`${node} saves and reloads every setting`, () => expectSettingsSaved(fixture.editor, node));
  }

  for (const [node, control, visible] of ROWS) {
    it(`${node} shows only the rows that apply to the selected ${control}`, async () => {
      const { editor } = fixture;
      const rows = [...new Set(Object.values(visible).flat())];
      await editor.openNode(node);
      await editor.openSections();
      for (const [value, expected] of Object.entries(visible)) {
        const field = editor.field(control);
        if (node === 'search-files') await field.setChecked(value === 'true');
        else await field.selectOption(value);
        (await editor.visibleRows(rows)).sort().should.eql([...expected].sort(), value);
      }
      await editor.closeDialog('#node-dialog-cancel');
    });
  }
});
