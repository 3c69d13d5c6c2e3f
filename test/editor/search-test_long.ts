/** Testing a search in the dialog of search-files, and the validation of its fields, in the real editor. */
import 'should';
import type { LocalDrive } from '../local-drive';
import { pickerFixture } from '../support/editor/picker-fixture';
import { accountText } from '../support/languages';

const MARKUP = '<img src=x onerror="window.hacked=true">';

describe('search test', function () {
  const fixture = pickerFixture(fillDrive);
  const result = () => fixture.editor.page.locator('#cloud-drive-test-result');
  const start = () => fixture.editor.page.locator('#cloud-drive-test-start').click();

  it('uses the settings in the dialog, not the deployed ones', async () => {
    await fixture.editor.openNode('search');
    await fixture.editor.openSections();
    await fixture.editor.setTyped('folder', { type: 'str', value: '/Backups' });
    await fixture.editor.setTyped('text', { type: 'str', value: '' });
    await start();
    await result().getByText('The first 10 matches; there are more.').waitFor();
    (await result().getByRole('listitem').count()).should.equal(10);
    await fixture.editor.setTyped('limit', { type: 'str', value: '2' });
    await start();
    await result().getByText('The first 2 matches; there are more.').waitFor();
    await fixture.editor.setTyped('limit', { type: 'str', value: '0' });
    await fixture.editor.field('recursive').check();
    await fixture.editor.field('sort').selectOption('largest');
    await fixture.editor.setTyped('minSize', { type: 'str', value: '10' });
    await start();
    await result().getByText('2 matches.').waitFor();
    const found = await result().getByRole('listitem').allInnerTexts();
    found.map((row) => row.split(/\s{2,}|\n/)[0]!.trim()).should.eql(['backup 2026.tar.gz', MARKUP]);
    (await fixture.editor.page.evaluate(() => 'hacked' in window)).should.equal(false);
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('shows why the search fails', async () => {
    await fixture.editor.openNode('search');
    await fixture.editor.openSections();
    await fixture.editor.setTyped('text', { type: 'str', value: 'x' });
    for (const [account, said] of [
      ['signed-out', 'The account has no client ID.'],
      ['_ADD_', 'No account selected.'],
    ] as const) {
      await fixture.editor.field('account').selectOption(account);
      await start();
      await result().getByText(said).waitFor();
    }
    await fixture.editor.field('account').selectOption('account');
    await fixture.editor.page.getByLabel('Example folder').fill('/Nowhere');
    await start();
    await result().getByText(accountText('errors.not_found_path')).waitFor();
    fixture.drive.faults.add({
      kind: 'error',
      reason: 'insufficientPermissions',
      match: { path: /\/files$/ },
    });
    await fixture.editor.page.getByLabel('Example folder').fill('');
    await start();
    await result().getByText(accountText('errors.permission_denied_scope')).waitFor();
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('shows next to each field why its value is invalid', async () => {
    await fixture.editor.openNode('search');
    await fixture.editor.openSections();
    // The depth only applies with subfolders.
    await fixture.editor.field('recursive').check();
    for (const [property, wrong, said, right] of [
      ['modifiedAfter', 'yesterday', 'Not a date', '30 days'],
      ['modifiedBefore', '2026-02-30', 'Not a date', '${BEFORE}'],
      ['minSize', 'big', 'Enter a number of at least 0', '10'],
      ['maxDepth', '1.5', 'Enter a whole number of at least 0', '2'],
      ['mimeType', 'image', 'Not a MIME type', 'image/*'],
    ] as const)
      await expectProblem(property, wrong, said, right);
    await fixture.editor.field('match').selectOption('glob');
    await fixture.editor.setTyped('text', { type: 'str', value: '[z-a]' });
    await problem('text').getByText('is backward').waitFor();
    await fixture.editor.setTyped('text', { type: 'str', value: '${NO NAME}' });
    await problem('text').getByText('Not an environment variable name').waitFor();
    await fixture.editor.setTyped('text', { type: 'str', value: '${A_NAME}' });
    await problem('text').waitFor({ state: 'hidden' });
    await fixture.editor.closeDialog('#node-dialog-cancel');
    await fixture.editor.openNode('prune');
    await fixture.editor.openSections();
    await expectProblem('timeZone', 'Berlin', 'Not a time zone', 'Europe/Berlin');
    await expectProblem('pattern', '[9-0]', 'is backward', '${A_NAME}');
    await fixture.editor.field('match').selectOption('regex');
    await expectProblem('pattern', '*', 'Not a valid regular expression: Nothing to repeat', '^a');
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('logs no error in the console except rejected requests', () => {
    const rejected = /Failed to load resource: the server responded with a status of 4\d\d/;
    fixture.editor.errors.filter((error) => !rejected.test(error)).should.eql([]);
  });

  const problem = (property: string) => fixture.editor.page.locator(`#node-input-${property}-problem`);

  async function expectProblem(property: string, wrong: string, said: string, right: string): Promise<void> {
    await enter(property, wrong);
    await problem(property).getByText(said).waitFor();
    await enter(property, right);
    await problem(property).waitFor({ state: 'hidden' });
  }

  async function enter(property: string, value: string): Promise<void> {
    const field = fixture.editor.field(property);
    // A typed input hides the field and shows its own.
    if (await field.isHidden()) return fixture.editor.setTyped(property, { type: 'str', value });
    await field.fill(value);
    await field.blur();
  }
});

async function fillDrive({ files }: LocalDrive): Promise<void> {
  const backups = files.in('root').find(({ name }) => name === 'Backups')!.id;
  for (let index = 0; index < 11; index++)
    await files.add({ name: `small ${index}`, parent: backups, content: '' });
  await files.add({ name: MARKUP, parent: backups, content: 'x'.repeat(20) });
}
