/** Each dialog checked with axe, in a light and a dark theme. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { seriousProblems } from '../support/editor/accessibility';
import { CLIENT } from '../support/node-red/account';
import { fillAccount, panel, paste, signIn, signInByBrowser } from '../support/editor/account-dialog';
import { darken } from '../support/editor/dark-theme';
import { FLOW, NODES } from '../support/editor/dialogs';
import { editorFixture } from '../support/editor/editor-fixture';
import { pickerFixture } from '../support/editor/picker-fixture';
import { accountText } from '../support/languages';

for (const theme of ['light', 'dark'] as const) {
  describe(`dialogs in a ${theme} theme`, () => {
    const fixture = editorFixture(() => FLOW);
    let drive: LocalDrive;

    before(async () => {
      drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1, quota: 15 * 1024 ** 3 });
      if (theme === 'dark') await darken(fixture.editor.page);
    });
    after(() => drive.close());
    const expectNoProblems = async (): Promise<void> => {
      (await seriousProblems(fixture.editor.page)).should.eql([]);
    };

    for (const node of NODES) {
      it(`${node} has no serious accessibility problem`, async () => {
        await fixture.editor.openNode(node);
        await fixture.editor.openSections();
        const problems = await seriousProblems(fixture.editor.page);
        await fixture.editor.closeDialog('#node-dialog-cancel');
        problems.should.eql([]);
      });
    }

    describe('account', () => {
      before(async () => {
        await fixture.editor.openNode('about');
        await fixture.editor.addAccount();
      });

      it('a new account has no serious accessibility problem', async () => {
        await fixture.editor.page.locator('#cloud-drive-advanced summary').click();
        await fixture.editor.page.locator('#cloud-drive-have-token summary').click();
        await panel(fixture.editor).getByRole('button', { name: 'Sign in' }).focus();
        await expectNoProblems();
        await fixture.editor.page.locator('#cloud-drive-client-json-choose').focus();
        await expectNoProblems();
      });

      it('an account with invalid values has no serious accessibility problem', async () => {
        await paste(fixture.editor.page, 'client-json', '{}');
        await fixture.editor.page.locator('#cloud-drive-client-json-message.cloud-drive-bad').waitFor();
        await panel(fixture.editor).getByRole('button', { name: 'Sign in' }).click();
        await panel(fixture.editor).getByText('has no client ID').waitFor();
        await expectNoProblems();
        await fixture.editor.field('service', 'account').selectOption('custom');
        await fixture.editor.page.locator('#node-config-input-baseUrl-problem:not(:empty)').waitFor();
        await expectNoProblems();
      });

      it('an account with a pending sign-in has no serious accessibility problem', async () => {
        await fillAccount(fixture.editor, drive.url);
        await signInByBrowser(fixture.editor, 'paste');
        await panel(fixture.editor).locator('summary').click();
        await expectNoProblems();
        await panel(fixture.editor).getByRole('button', { name: 'Cancel' }).click();
        await panel(fixture.editor)
          .getByRole('radio', { name: accountText('way.device') })
          .check();
        drive.approve((await signIn(fixture.editor)).code);
      });

      it('a service account whose key is missing has no serious accessibility problem', async () => {
        const { editor } = fixture;
        await editor.field('auth', 'account').selectOption('service-account');
        await panel(editor)
          .getByRole('button', { name: accountText('panel.test') })
          .click();
        await panel(editor).getByText(accountText('errors.not_configured_key_missing')).waitFor();
        await expectNoProblems();
        await editor.field('auth', 'account').selectOption('user');
      });

      it('an account that is signed in has no serious accessibility problem', async () => {
        await panel(fixture.editor).getByText('of 15 GB used').waitFor();
        await expectNoProblems();
        await panel(fixture.editor).getByRole('button', { name: 'Sign out' }).focus();
        await expectNoProblems();
      });
    });
  });

  describe(`drive picker in a ${theme} theme`, () => {
    const fixture = pickerFixture();

    it('the drive picker has no serious accessibility problem, with and without files', async () => {
      if (theme === 'dark') await darken(fixture.editor.page);
      await fixture.editor.openNode('download');
      await fixture.picker.open('file');
      await fixture.picker.expand('Backups', '2026');
      await fixture.picker.row('2026').click();
      (await seriousProblems(fixture.editor.page)).should.eql([]);
      await fixture.picker.cancel('file');
      await fixture.editor.field('account').selectOption('signed-out');
      await fixture.picker.open('file');
      await fixture.picker.failure.waitFor();
      (await seriousProblems(fixture.editor.page)).should.eql([]);
    });
  });
}
