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

const INVALID_PATTERNS = [
  ['*.jpg\n *.{png,gif ', '“{” in *.{png,gif is never closed: close it, or write [{]'],
  ['*.jp[eg\n{a', '“[” in *.jp[eg is never closed: close it, or write [[]'],
  ['x\n[z-a]', 'The range “z-a” in [z-a] is backward'],
  ['{0,1}'.repeat(10), 'has more than 1,000 alternatives'],
  ['x\ncache\\*.tmp', 'cache\\*.tmp contains a backslash: write / between folders, or [\\] for'],
  ['x\n../x', '../x can never match: write a path inside the folder without “..”, or ** for'],
] as const;

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

  for (const [node, ...properties] of [
    ['sync', 'include', 'exclude'],
    ['backup', 'exclude'],
    ['restore', 'include'],
  ] as const) {
    it(`${properties.join(' and ')} of ${node} can't contain an invalid pattern`, async () => {
      const { editor } = fixture;
      await editor.openNode(node);
      await editor.openSections();
      for (const property of properties) {
        const marks = async () => (await editor.field(property).getAttribute('class')) ?? '';
        // All fields have the same rule.
        const all = node === 'sync' && property === 'include';
        for (const [value, expected] of all ? INVALID_PATTERNS : INVALID_PATTERNS.slice(0, 1)) {
          await editor.enter(property, value, expected);
          (await marks()).should.containEql('input-error');
        }
        await editor.enter(property, '*.{jpg,png}\n\n[[]{]a,b}', '');
        (await marks()).should.not.containEql('input-error');
      }
      await editor.closeDialog('#node-dialog-cancel');
    });
  }

  it('the dialog of share says who gets access, and shows only the fields that apply', async () => {
    const { editor } = fixture;
    const sentence = (text: string) =>
      editor.page.locator('#cloud-drive-share-sentence').getByText(text, { exact: true }).waitFor();
    const rows = () => editor.visibleRows(['with', 'to', 'discoverable', 'notify', 'message', 'expires']);
    await editor.openNode('share');
    await editor.openSections();
    await sentence('Anyone with the link can view.');
    (await rows()).should.eql(['with', 'discoverable']);
    await editor.field('discoverable').setChecked(true);
    await sentence('Anyone on the internet, even without the link, can view.');
    await editor.field('with').selectOption('user');
    await editor.field('role').selectOption('writer');
    await sentence('The user msg.to can edit. No email is sent.');
    (await rows()).should.eql(['with', 'to', 'notify', 'expires']);
    await editor.setTyped('to', { type: 'str', value: 'ann@example.com' });
    await editor.field('notify').setChecked(true);
    await editor.field('expires').fill('7 days');
    await sentence('The user ann@example.com can edit. An email is sent. Access expires: 7 days.');
    (await rows()).should.eql(['with', 'to', 'notify', 'message', 'expires']);
    await editor.field('action').selectOption('remove');
    await sentence('Removes the access of ann@example.com.');
    (await rows()).should.eql(['with', 'to']);
    await editor.field('action').selectOption('list');
    await sentence('Lists who has access and changes nothing.');
    (await rows()).should.eql([]);
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('the dialog of share explains invalid addresses, roles and expirations', async () => {
    const { editor } = fixture;
    await editor.openNode('share');
    await editor.field('with').selectOption('user');
    await editor.openSections();
    await editor.setTyped('to', { type: 'str', value: 'ann' });
    await editor.problem('to', 'Enter an email address');
    await editor.enter('expires', 'soon', 'Enter a time in the future');
    await editor.enter('expires', '2 years', 'Google Drive allows at most one year');
    await editor.field('with').selectOption('domain');
    await editor.problem('to', 'Enter a domain');
    await editor.problem('expires', 'Only the access of users and groups can expire');
    await editor.field('role').selectOption('organizer');
    await editor.problem('with', 'Only users and groups can have this role');
    await editor.closeDialog('#node-dialog-cancel');
  });
});
