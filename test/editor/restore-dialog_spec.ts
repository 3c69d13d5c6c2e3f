/** The dialog of the restore node in the real editor. */
import 'should';
import { generateAgeKeys } from '../../src/backup/archive/age';
import { editorFixture } from '../support/editor/editor-fixture';

describe('dialog of the restore node', () => {
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    { id: 'account', type: 'cloud-drive-account', name: 'Drive' },
    { id: 'restore', type: 'cloud-drive-restore', z: 'tab', x: 300, y: 80, account: 'account', wires: [[]] },
    {
      ...{ id: 'path', type: 'cloud-drive-restore', z: 'tab', x: 300, y: 160, wires: [[]] },
      ...{ account: 'account', localPath: '/home/', localPathType: 'str', folder: '/B', folderType: 'str' },
    },
    {
      ...{ id: 'backup', type: 'cloud-drive-backup', z: 'tab', x: 300, y: 240, wires: [[]] },
      ...{ account: 'account', source: '/srv/docs/', sourceType: 'str', folder: '/B', folderType: 'str' },
    },
  ]);

  const shownOf = (properties: string[]) =>
    fixture.editor.page.evaluate(
      (names) =>
        names.filter((name) => {
          const input = document.getElementById(`node-input-${name}`)!;
          // A TypedInput hides the input that has its value.
          const isTyped = input.nextElementSibling?.matches('.red-ui-typedInput-container') ?? false;
          return (isTyped ? input.nextElementSibling! : input).checkVisibility();
        }),
      properties,
    );

  it('a node without properties has the label of the defaults', async () => {
    await fixture.editor.page.locator('[id="restore"]').getByText('restore newest').waitFor();
  });

  it('each action shows at most six fields, and no field that it doesn’t need', async () => {
    const { editor } = fixture;
    const inSight: Record<string, string[]> = {
      restore: ['localPath', 'stripTop'],
      check: ['maxAge', 'depth'],
      list: ['output'],
    };
    await editor.openNode('restore');
    for (const [action, own] of Object.entries(inSight)) {
      for (const [from, choices] of [
        ['archives', ['newest', 'number', 'date', 'file']],
        ['snapshots', ['newest', 'date', 'id']],
      ] as const) {
        for (const which of choices) {
          await editor.page.evaluate(
            (choice) => {
              for (const [property, value] of Object.entries(choice))
                $(`#node-input-${property}`).val(value).trigger('change');
            },
            { action, from, which },
          );
          const rows = editor.page.locator('#dialog-form > .form-row:visible');
          (await rows.count()).should.be.within(4, 6, `${action} ${from} ${which}`);
          const expected = [which !== 'newest' && 'select', which !== 'file' && 'folder', ...own];
          const shown = await shownOf(['select', 'folder', ...Object.values(inSight).flat()]);
          shown.should.eql(expected.filter(Boolean), `${action} ${from} ${which}`);
        }
      }
    }
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('the section Advanced has the fields of the action', async () => {
    const { editor } = fixture;
    const fields = [
      'include',
      'overwrite',
      'compareWith',
      'failOnDifferences',
      'readData',
      'pattern',
      'sources',
    ];
    const shown = () => shownOf([...fields, 'allowIncomplete', 'maxRatio', 'progress']);
    await editor.openNode('restore');
    await editor.openSections();
    const always = ['allowIncomplete', 'progress'];
    (await shown()).should.eql([
      'include',
      'overwrite',
      'pattern',
      'allowIncomplete',
      'maxRatio',
      'progress',
    ]);
    await editor.field('action').selectOption('list');
    (await shown()).should.eql(['include', 'pattern', ...always]);
    await editor.field('action').selectOption('check');
    (await shown()).should.eql(['compareWith', 'pattern', ...always]);
    await editor.field('compareWith').fill('/srv/docs');
    (await shown()).should.containEql('failOnDifferences');
    (await shown()).should.containEql('include');
    await editor.field('from').selectOption('snapshots');
    (await shown()).should.eql([
      ...['include', 'compareWith', 'failOnDifferences', 'readData', 'sources'],
      ...always,
    ]);
    await editor.field('depth').selectOption('age');
    (await shown()).should.eql(['sources', ...always]);
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('values of hidden fields don’t make the node invalid, and those of shown fields do', async () => {
    const { editor } = fixture;
    await editor.openNode('restore');
    await editor.openSections();
    await editor.field('action').selectOption('check');
    await editor.enter('maxAge', '-1', 'at least 0');
    await editor.field('action').selectOption('restore');
    await editor.problem('maxAge', '');
    await editor.field('from').selectOption('snapshots');
    await editor.problem('passphrase', 'Required: the passphrase of the repository');
    await editor.enter('passphrase', 'secret', '');
    await editor.field('from').selectOption('archives');
    await editor.enter('passphrase', '', '');
    await editor.field('which').selectOption('number');
    await editor.field('from').selectOption('snapshots');
    (await editor.field('which').inputValue()).should.equal('newest');
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('the line under Restore to shows what will be created, if it is known', async () => {
    const { editor } = fixture;
    const line = editor.page.locator('#cloud-drive-creates');
    const shows = (text: string | RegExp): Promise<void> =>
      line.filter({ hasText: text }).waitFor({ state: 'attached' });
    await editor.openNode('restore');
    await shows(/^$/);
    await editor.closeDialog('#node-dialog-cancel');
    await editor.openNode('path');
    await shows('Creates /home/docs/…');
    await editor.page.selectOption('#node-input-which', 'file');
    await shows('Creates /home/<name of the source>/…');
    await editor.page.locator('#node-input-stripTop').check();
    await shows('Creates /home/…');
    await editor.closeDialog('#node-dialog-cancel');
  });

  it('a private key is validated when it is entered, and not when it is stored', async () => {
    const { editor } = fixture;
    const { identity, recipient } = await generateAgeKeys();
    await editor.openNode('restore');
    await editor.openSections();
    await editor.problem('identity', '');
    for (const wrong of [recipient, identity.slice(0, -1), 'secret']) {
      await editor.enter('identity', wrong, 'Not a private key');
    }
    await editor.enter('identity', '${IDENTITY}', '');
    // A pasted key file, without its line breaks.
    await editor.enter('identity', `# created: today# public key: ${recipient}${identity}`, '');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    await editor.openNode('restore');
    (await editor.field('identity').inputValue()).should.equal('__PWRD__');
    await editor.problem('identity', '');
    await editor.closeDialog('#node-dialog-cancel');
  });
});
