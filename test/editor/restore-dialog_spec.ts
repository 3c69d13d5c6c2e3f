/** The dialog of the restore node in the real editor. */
import 'should';
import { generateAgeKeys } from '../../src/archive/age';
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
  const problem = (property: string) => fixture.editor.page.locator(`#node-input-${property}-problem`);
  const noProblem = (property: string) =>
    problem(property).filter({ hasText: /^$/ }).waitFor({ state: 'attached' });

  async function enter(property: string, value: string): Promise<void> {
    await fixture.editor.field(property).fill(value);
    await fixture.editor.page.keyboard.press('Tab');
  }

  it('a node without properties has the label of the defaults', async () => {
    await fixture.editor.page.locator('[id="restore"]').getByText('restore newest').waitFor();
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
    await noProblem('identity');
    for (const wrong of [recipient, identity.slice(0, -1), 'secret']) {
      await enter('identity', wrong);
      await problem('identity').getByText('Not a private key').waitFor();
    }
    await enter('identity', '${IDENTITY}');
    await noProblem('identity');
    // A pasted key file, without its line breaks.
    await enter('identity', `# created: today# public key: ${recipient}${identity}`);
    await noProblem('identity');
    await editor.closeDialog('#node-dialog-ok');
    await editor.deploy();
    await editor.reload();
    await editor.openNode('restore');
    (await editor.field('identity').inputValue()).should.equal('__PWRD__');
    await noProblem('identity');
    await editor.closeDialog('#node-dialog-cancel');
  });
});
