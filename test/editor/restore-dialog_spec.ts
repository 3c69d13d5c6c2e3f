/** The dialog of the restore node in the real editor. */
import 'should';
import { generateAgeKeys } from '../../src/archive/age';
import { editorFixture } from '../support/editor/editor-fixture';

describe('dialog of the restore node', () => {
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    { id: 'account', type: 'cloud-drive-account', name: 'Drive' },
    { id: 'restore', type: 'cloud-drive-restore', z: 'tab', x: 300, y: 80, account: 'account', wires: [[]] },
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
