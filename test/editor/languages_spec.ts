/** The largest dialogs in each language of the package: texts are translated and not cut off. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { textProblems } from '../support/editor/dialog-texts';
import { PickerPage } from '../support/editor/drive-picker';
import { editorFixture } from '../support/editor/editor-fixture';
import { EditorPage } from '../support/editor/editor-page';
import { LANGUAGES, textsOf } from '../support/languages';
import type { DeployedNode } from '../support/node-red/node-red';
import { casesOf } from '../support/run/long';

const ACCOUNT = ['form.client', 'form.record', 'form.scope_title', 'form.retry_for_unit', 'way.title'];
const UPLOAD = ['field.source', 'field.if_exists', 'field.metadata', 'field.create_folders'];

/** The one with the longest texts, and one without Latin letters. */
const FIRST = ['de', 'ja'];
const ORDERED = [...FIRST, ...LANGUAGES.filter((language) => !FIRST.includes(language))];

describe('editor languages', () => {
  let drive: LocalDrive;
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    await drive.files.add({ name: 'archive.tar', content: 'x'.repeat(1_600_000) });
  });
  after(() => drive?.close());
  const fixture = editorFixture(() => flow(drive));

  for (const language of casesOf(ORDERED, FIRST.length)) {
    describe(language, () => {
      let editor: EditorPage;
      before(async () => {
        const browser = fixture.editor.page.context().browser()!;
        editor = await EditorPage.open(browser, fixture.nodeRed.url, { locale: language });
      });
      after(() => editor?.close());

      const expectTexts = async (form: string, node: string, keys: readonly string[]): Promise<void> => {
        const text = await editor.page.locator(form).innerText();
        const texts = textsOf(node, language);
        for (const key of keys) text.should.containEql(texts.get(key)!);
        (await textProblems(editor.page)).should.eql([]);
      };

      it(`shows the dialogs in ${language}, with room for every text`, async () => {
        await editor.openNode('upload');
        await editor.openSections();
        await expectTexts('#dialog-form', 'upload', UPLOAD);
        await editor.openAccount();
        await editor.page.locator('#cloud-drive-advanced summary').click();
        await editor.page.locator('#cloud-drive-have-token summary').click();
        await editor.page.locator('#cloud-drive-sign-in input[type="radio"]').first().waitFor();
        await expectTexts('#node-config-dialog-edit-form', 'account', ACCOUNT);
        await editor.closeDialog('#node-config-dialog-cancel');
        await editor.closeDialog('#node-dialog-cancel');
      });

      it(`formats sizes for ${language}`, async () => {
        await editor.openNode('download');
        const picker = new PickerPage(editor);
        await picker.open('file');
        const format = new Intl.NumberFormat(language, { style: 'unit', unit: 'megabyte' });
        (await picker.row('archive.tar').innerText()).should.containEql(format.format(1.6));
        await picker.cancel('file');
        await editor.closeDialog('#node-dialog-cancel');
      });

      it(`logs no error in the console in ${language}`, () => editor.errors.should.eql([]));
    });
  }
});

function flow(drive: LocalDrive): DeployedNode[] {
  const account = { id: 'account', type: 'cloud-drive-account', name: 'Drive', ...customAccount(drive.url) };
  const position = { z: 'tab', x: 300, account: 'account', wires: [[]] };
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    { ...account, credentials: { ...CREDENTIALS } },
    { id: 'new', type: 'cloud-drive-account', name: 'New' },
    { ...position, id: 'upload', type: 'cloud-drive-upload', account: 'new', y: 60 },
    { ...position, id: 'download', type: 'cloud-drive-download', y: 120 },
  ];
}
