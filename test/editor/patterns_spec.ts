/** Lists of patterns in the dialogs. */
import 'should';
import { editorFixture } from '../support/editor/editor-fixture';

const INVALID = [
  ['*.jpg\n *.{png,gif ', '“{” in *.{png,gif is never closed: close it, or write [{]'],
  ['*.jp[eg\n{a', '“[” in *.jp[eg is never closed: close it, or write [[]'],
  ['x\n[z-a]', 'The range “z-a” in [z-a] is backward'],
  ['{0,1}'.repeat(10), 'has more than 1,000 alternatives'],
  ['x\ncache\\*.tmp', 'cache\\*.tmp contains a backslash: write / between folders, or [\\] for'],
  ['x\n../x', '../x can never match: write a path inside the folder without “..”, or ** for'],
] as const;

describe('lists of patterns in dialogs', () => {
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    { id: 'account', type: 'cloud-drive-account', name: 'Drive' },
    ...['sync', 'backup', 'restore'].map((node, index) => ({
      ...{ id: node, type: `cloud-drive-${node}`, z: 'tab', x: 300, y: 80 + 60 * index },
      ...{ account: 'account', wires: [[]] },
    })),
  ]);

  for (const [node, property] of [
    ['sync', 'include'],
    ['sync', 'exclude'],
    ['backup', 'exclude'],
    ['restore', 'include'],
  ] as const) {
    it(`${property} of ${node} is invalid while it contains an invalid pattern`, async () => {
      const { editor } = fixture;
      await editor.openNode(node);
      await editor.openSections();
      const field = editor.field(property);
      // All fields have the same rule.
      for (const [value, expected] of node === 'sync' && property === 'include'
        ? INVALID
        : INVALID.slice(0, 1)) {
        await editor.enter(property, value, expected);
        ((await field.getAttribute('class')) ?? '').should.containEql('input-error');
      }
      await editor.enter(property, '*.{jpg,png}\n\n[[]{]a,b}', '');
      ((await field.getAttribute('class')) ?? '').should.not.containEql('input-error');
      await editor.closeDialog('#node-dialog-cancel');
    });
  }
});
