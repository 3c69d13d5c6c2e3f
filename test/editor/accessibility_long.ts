/** Each dialog of the package as axe sees it, in light and in dark. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { seriousProblems } from '../support/editor/accessibility';
import { CLIENT } from '../support/node-red/account';
import { fillAccount, panel, paste, signIn, signInByBrowser } from '../support/editor/account-dialog';
import { darken } from '../support/editor/dark-theme';
import { FLOW, NODES } from '../support/editor/dialogs';
import { editorFixture } from '../support/editor/editor-fixture';
import { pickerFixture } from '../support/editor/picker-fixture';

for (const theme of ['light', 'dark'] as const) {
  describe(`dialogs in a ${theme} theme`, function () {
    this.timeout(60_000);
    const of = editorFixture(() => FLOW);
    let drive: LocalDrive;

    before(async () => {
      drive = await startLocalDrive({ clients: [{ ...CLIENT }], interval: 1, quota: 15 * 1024 ** 3 });
      if (theme === 'dark') await darken(of.editor.page);
    });
    after(() => drive.close());
    const nothing = async (): Promise<void> => {
      (await seriousProblems(of.editor.page)).should.eql([]);
    };

    for (const node of NODES) {
      it(`${node} has nothing serious against it`, async () => {
        await of.editor.openNode(node);
        const problems = await seriousProblems(of.editor.page);
        await of.editor.closeDialog('#node-dialog-cancel');
        problems.should.eql([]);
      });
    }

    describe('of an account', () => {
      before(async () => {
        await of.editor.openNode('about');
        await of.editor.addAccount();
      });

      it('has nothing serious against it when it is new', async () => {
        await of.editor.page.locator('#cloud-drive-advanced summary').click();
        await of.editor.page.locator('#cloud-drive-have-token summary').click();
        await panel(of.editor).getByRole('button', { name: 'Sign in' }).focus();
        await nothing();
        await of.editor.page.locator('#cloud-drive-client-json-choose').focus();
        await nothing();
      });

      it('nor with something wrong in it', async () => {
        await paste(of.editor.page, 'client-json', '{}');
        await of.editor.page.locator('#cloud-drive-client-json-message.cloud-drive-bad').waitFor();
        await panel(of.editor).getByRole('button', { name: 'Sign in' }).click();
        await panel(of.editor).getByText('has no client ID').waitFor();
        await nothing();
      });

      it('nor while a browser or a code is waited for', async () => {
        await fillAccount(of.editor, drive.url);
        await signInByBrowser(of.editor, 'pasting');
        await panel(of.editor).locator('summary').click();
        await nothing();
        await panel(of.editor).getByRole('button', { name: 'Cancel' }).click();
        await panel(of.editor)
          .getByRole('radio', { name: /With a code/ })
          .check();
        drive.approve((await signIn(of.editor)).code);
      });

      it('nor when somebody is signed in', async () => {
        await panel(of.editor).getByText('of 15 GB used').waitFor();
        await nothing();
        await panel(of.editor).getByRole('button', { name: 'Sign out' }).focus();
        await nothing();
      });
    });
  });

  describe(`choosing on the drive in a ${theme} theme`, function () {
    this.timeout(60_000);
    const of = pickerFixture();

    it('has nothing serious against it, nor when it has nothing to show', async () => {
      if (theme === 'dark') await darken(of.editor.page);
      await of.editor.openNode('download');
      await of.picker.open('file');
      await of.picker.expand('Backups', '2026');
      await of.picker.row('2026').click();
      (await seriousProblems(of.editor.page)).should.eql([]);
      await of.picker.cancel('file');
      await of.editor.field('account').selectOption('signed-out');
      await of.picker.open('file');
      await of.picker.failure.waitFor();
      (await seriousProblems(of.editor.page)).should.eql([]);
    });
  });
}
