/** The two largest dialogs checked with axe. accessibility_long checks all of them in light and dark themes. */
import 'should';
import { seriousProblems } from '../support/editor/accessibility';
import { panel } from '../support/editor/account-dialog';
import { FLOW } from '../support/editor/dialogs';
import { editorFixture } from '../support/editor/editor-fixture';

describe('accessibility of the dialogs', () => {
  const fixture = editorFixture(() => FLOW);

  it('search-files and a new account have no serious accessibility problem', async () => {
    await fixture.editor.openNode('search-files');
    await fixture.editor.openSections();
    (await seriousProblems(fixture.editor.page)).should.eql([]);
    await fixture.editor.addAccount();
    await fixture.editor.page.locator('#cloud-drive-client-json:focus').waitFor();
    await panel(fixture.editor).getByRole('button', { name: 'Sign in' }).focus();
    (await seriousProblems(fixture.editor.page)).should.eql([]);
  });
});
