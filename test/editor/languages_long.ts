/** Every dialog in every language of the package: no text is missing or cut off. */
import 'should';
import { FLOW, NODES } from '../support/editor/dialogs';
import { textProblems } from '../support/editor/dialog-texts';
import { editorFixture } from '../support/editor/editor-fixture';
import { EditorPage } from '../support/editor/editor-page';
import { LANGUAGES } from '../support/languages';

describe('the texts of all dialogs fit', () => {
  const fixture = editorFixture(() => FLOW);

  for (const language of LANGUAGES) {
    describe(`in ${language}`, () => {
      let editor: EditorPage;
      before(async () => {
        const browser = fixture.editor.page.context().browser()!;
        editor = await EditorPage.open(browser, fixture.nodeRed.url, { locale: language });
      });
      after(() => editor?.close());

      for (const node of NODES) {
        it(`${node} has room for its texts in ${language}`, async () => {
          await editor.openNode(node);
          await editor.openSections();
          const problems = await textProblems(editor.page);
          await editor.closeDialog('#node-dialog-cancel');
          problems.should.eql([]);
        });
      }

      for (const service of ['google', 'custom']) {
        it(`an account for the service ${service} has room for its texts in ${language}`, async () => {
          await editor.openNode('about');
          await editor.openAccount();
          await editor.field('service', 'account').selectOption(service);
          await editor.page.locator('#cloud-drive-advanced summary').click();
          await editor.page.locator('#cloud-drive-have-token summary').click();
          await editor.page.locator('#cloud-drive-sign-in input[type="radio"]').first().waitFor();
          const problems = await textProblems(editor.page);
          await editor.closeDialog('#node-config-dialog-cancel');
          await editor.closeDialog('#node-dialog-cancel');
          problems.should.eql([]);
        });
      }

      it(`an account for a service account has room for its texts in ${language}`, async () => {
        await editor.openNode('about');
        await editor.openAccount();
        await editor.field('auth', 'account').selectOption('service-account');
        await editor.page.locator('#cloud-drive-sign-in .fa-plug').waitFor();
        const problems = await textProblems(editor.page);
        await editor.closeDialog('#node-config-dialog-cancel');
        await editor.closeDialog('#node-dialog-cancel');
        problems.should.eql([]);
      });

      it(`logs no error in the console in ${language}`, () => editor.errors.should.eql([]));
    });
  }
});
