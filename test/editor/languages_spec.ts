/**
 * Languages of the package: a German Node-RED in a German browser, and the largest dialogs in each language, whose texts
 * are translated and not cut off.
 */
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

describe('languages', () => {
  let drive: LocalDrive;
  let id: string;
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    id = await drive.files.add({ name: 'archive.tar', content: 'x'.repeat(1_600_000) });
  });
  after(() => drive?.close());
  const fixture = editorFixture(() => flow(drive), { settings: { lang: 'de' }, locale: 'de-DE' });

  it('a German Node-RED gives Catch a German error message with a decimal comma', async () => {
    fixture.nodeRed.receive('download', { payload: id });
    const [msg] = await fixture.nodeRed.outputs('caught');
    const { message } = (msg as unknown as { error: { message: string } }).error;
    message.should.startWith(
      'Error: Der Inhalt umfasst 1,6 MiB, das Limit im Arbeitsspeicher ist 1 MiB. Laden Sie ihn',
    );
  });

  it('a German Node-RED shows the status of a node in German', () =>
    fixture.editor.status('download', 'zu groß'));

  it('the palette, the nodes and the help are German in a German browser', async () => {
    const { page } = fixture.editor;
    const label = page.locator('[data-palette-type="cloud-drive-search-files"] .red-ui-palette-label');
    (await label.innerText()).replace(/\s+/g, ' ').should.equal('Dateien suchen');
    const node = page.locator('[id="download"] .red-ui-flow-node-label');
    (await node.textContent())!.should.containEql('herunterladen → Buffer');
    await page.evaluate(() => RED.sidebar.help.show('cloud-drive-download'));
    await page.locator('.red-ui-help', { hasText: 'Lädt eine Datei als Buffer' }).first().waitFor();
  });

  it('a long label, such as the French one of the local path, stays on one line', async () => {
    const { editor } = fixture;
    await editor.openNode('upload');
    await editor.field('source').selectOption('file');
    const label = editor.page.locator('label[for="node-input-filename"]');
    const height = await label.evaluate((element: HTMLElement, text) => {
      element.querySelector('span')!.textContent = text;
      return element.offsetHeight;
    }, 'Chemin local');
    height.should.be.within(10, 30);
    await editor.closeDialog('#node-dialog-cancel');
  });

  for (const language of casesOf(ORDERED, FIRST.length)) {
    it(`the dialogs have room for every text in ${language}, and sizes are formatted for it`, async () => {
      const editor =
        language === 'de'
          ? fixture.editor
          : await EditorPage.open(fixture.browser, fixture.nodeRed.url, { locale: language });
      const expectTexts = async (form: string, node: string, keys: readonly string[]): Promise<void> => {
        const text = await editor.page.locator(form).innerText();
        const texts = textsOf(node, language);
        for (const key of keys) text.should.containEql(texts.get(key)!);
        (await textProblems(editor.page)).should.eql([]);
      };
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

      await editor.openNode('download');
      const picker = new PickerPage(editor);
      await picker.open('file');
      const format = new Intl.NumberFormat(language, { style: 'unit', unit: 'megabyte' });
      (await picker.row('archive.tar').innerText()).should.containEql(format.format(1.6));
      await picker.cancel('file');
      await editor.closeDialog('#node-dialog-cancel');
      // Of a catalogue that can't be loaded, too.
      editor.errors.should.eql([]);
      if (editor !== fixture.editor) await editor.close();
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
    { ...position, id: 'download', type: 'cloud-drive-download', maxSize: '1', y: 120 },
    { ...position, id: 'catch', type: 'catch', y: 180, scope: null, wires: [['caught']] },
    { ...position, id: 'caught', type: 'test-output', y: 180, wires: [] },
  ];
}
