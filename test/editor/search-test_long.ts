/** The test of what is set in search-files, and the checks of its fields, in the real editor. */
import 'should';
import type { LocalDrive } from '../local-drive';
import { pickerFixture } from '../support/editor/picker-fixture';

const HOSTILE = '<img src=x onerror="window.hacked=true">';

describe('trying a search in the editor', function () {
  this.timeout(60_000);
  const of = pickerFixture(fillDrive);
  const result = () => of.editor.page.locator('#cloud-drive-test-result');
  const start = () => of.editor.page.locator('#cloud-drive-test-start').click();

  it('follows what is set, not what is deployed', async () => {
    await of.editor.openNode('search');
    await of.editor.setTyped('folder', { type: 'str', value: '/Backups' });
    await of.editor.setTyped('text', { type: 'str', value: '' });
    await start();
    await result().getByText('The first 10; there are more.').waitFor();
    (await result().getByRole('listitem').count()).should.equal(10);
    await of.editor.field('limit').fill('2');
    await start();
    await result().getByText('The first 2; there are more.').waitFor();
    await of.editor.field('limit').fill('0');
    await of.editor.field('recursive').check();
    await of.editor.field('sort').selectOption('largest');
    await of.editor.field('minSize').fill('10');
    await start();
    await result().getByText('These 2 are found.').waitFor();
    const found = await result().getByRole('listitem').allInnerTexts();
    found.map((row) => row.split(/\s{2,}|\n/)[0]!.trim()).should.eql(['backup 2026.tar.gz', HOSTILE]);
    (await of.editor.page.evaluate(() => 'hacked' in window)).should.equal(false);
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('says what keeps it from looking', async () => {
    await of.editor.openNode('search');
    await of.editor.setTyped('text', { type: 'str', value: 'x' });
    for (const [account, said] of [
      ['signed-out', 'The account has no client ID.'],
      ['_ADD_', 'No account is chosen.'],
    ] as const) {
      await of.editor.field('account').selectOption(account);
      await start();
      await result().getByText(said).waitFor();
    }
    await of.editor.field('account').selectOption('account');
    await of.editor.page.getByLabel('Folder, say').fill('/Nowhere');
    await start();
    await result().getByText('There is no “Nowhere” on the drive').waitFor();
    of.drive.faults.add({ kind: 'error', reason: 'insufficientPermissions', match: { path: /\/files$/ } });
    await of.editor.page.getByLabel('Folder, say').fill('');
    await start();
    await result().getByText('The sign-in is not allowed to do this.').waitFor();
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('says beside each field what is wrong with it', async () => {
    await of.editor.openNode('search');
    for (const [property, wrong, said, right] of [
      ['modifiedAfter', 'yesterday', 'Not a time', '30 days'],
      ['modifiedBefore', '2026-02-30', 'Not a time', '${BEFORE}'],
      ['minSize', 'big', 'A number of 0 or more', '10'],
      ['maxDepth', '-1', 'A number of 0 or more', '2'],
      ['mimeType', 'image', 'Not a media type', 'image/*'],
    ] as const)
      await says(property, wrong, said, right);
    await of.editor.field('match').selectOption('glob');
    await of.editor.setTyped('text', { type: 'str', value: '[z-a]' });
    await problem('text').getByText('A range in [ ] runs backwards').waitFor();
    await of.editor.setTyped('text', { type: 'str', value: '${NO NAME}' });
    await problem('text').getByText('No name of an environment variable').waitFor();
    await of.editor.setTyped('text', { type: 'str', value: '${A_NAME}' });
    await problem('text').waitFor({ state: 'hidden' });
    await of.editor.closeDialog('#node-dialog-cancel');
    await of.editor.openNode('prune');
    await says('timeZone', 'Berlin', 'Not a time zone', 'Europe/Berlin');
    await says('pattern', '[9-0]', 'A range in [ ] runs backwards', '${A_NAME}');
    await of.editor.field('match').selectOption('regex');
    await says('pattern', '*', 'Not a regular expression: Nothing to repeat', '^a');
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('writes nothing wrong into the console', () => {
    const refused = /Failed to load resource: the server responded with a status of 4\d\d/;
    of.editor.errors.filter((error) => !refused.test(error)).should.eql([]);
  });

  const problem = (property: string) => of.editor.page.locator(`#node-input-${property}-problem`);

  async function says(property: string, wrong: string, said: string, right: string): Promise<void> {
    await of.editor.field(property).fill(wrong);
    await of.editor.field(property).blur();
    await problem(property).getByText(said).waitFor();
    await of.editor.field(property).fill(right);
    await of.editor.field(property).blur();
    await problem(property).waitFor({ state: 'hidden' });
  }
});

async function fillDrive({ files }: LocalDrive): Promise<void> {
  const backups = files.in('root').find(({ name }) => name === 'Backups')!.id;
  for (let index = 0; index < 11; index++)
    await files.add({ name: `small ${index}`, parent: backups, content: '' });
  await files.add({ name: HOSTILE, parent: backups, content: 'x'.repeat(20) });
}
