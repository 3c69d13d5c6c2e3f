/** An expired sign-in: the account's dialog opens scrolled to the sign-in. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, customAccount } from '../support/node-red/account';
import { panel } from '../support/editor/account-dialog';
import { editorFixture } from '../support/editor/editor-fixture';

describe('the dialog of an account with an expired sign-in', () => {
  let drive: LocalDrive;
  before(async () => {
    // The account's tokens are unknown to this drive.
    drive = await startLocalDrive({ clients: [{ ...CLIENT }] });
  });
  after(() => drive?.close());
  const fixture = editorFixture(() => [
    { id: 'tab', type: 'tab', label: 'test' },
    {
      ...{ id: 'account', type: 'cloud-drive-account', name: 'Drive' },
      ...{ ...customAccount(drive.url), credentials: { ...CREDENTIALS } },
    },
    { id: 'inject', type: 'inject', z: 'tab', x: 120, y: 80, props: [], wires: [['about']] },
    { id: 'about', type: 'cloud-drive-about', z: 'tab', x: 340, y: 80, account: 'account', wires: [[]] },
  ]);

  it('opens with the reason and the sign-in button in view', async () => {
    const { editor } = fixture;
    await editor.inject('inject');
    await editor.page.locator('[id="about"]').getByText('sign-in required').waitFor();
    await editor.openNode('about');
    await editor.openAccount();
    await panel(editor).getByText('Sign-in required', { exact: true }).waitFor();
    await panel(editor).getByRole('button', { name: 'Sign in' }).waitFor();
    await editor.page.waitForFunction(() => {
      const button = document.querySelector('#cloud-drive-sign-in .primary');
      const body = button?.closest('.red-ui-tray-body')?.getBoundingClientRect();
      if (!button || !body) return false;
      const { top, bottom } = button.getBoundingClientRect();
      return top >= body.top && bottom <= body.bottom;
    });
  });
});
