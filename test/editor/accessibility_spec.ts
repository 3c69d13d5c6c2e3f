/** The two dialogs with the most in them, as axe sees them. All, in light and dark: accessibility_long. */
import 'should';
import { seriousProblems } from '../support/editor/accessibility';
import { panel } from '../support/editor/account-dialog';
import { FLOW } from '../support/editor/dialogs';
import { editorFixture } from '../support/editor/editor-fixture';

describe('accessibility of the dialogs', function () {
  this.timeout(60_000);
  const of = editorFixture(() => FLOW);

  it('of search-files and of a new account has nothing serious against it', async () => {
    await of.editor.openNode('search-files');
    (await seriousProblems(of.editor.page)).should.eql([]);
    await of.editor.addAccount();
    await of.editor.page.locator('#cloud-drive-client-json:focus').waitFor();
    await panel(of.editor).getByRole('button', { name: 'Sign in' }).focus();
    (await seriousProblems(of.editor.page)).should.eql([]);
  });
});
