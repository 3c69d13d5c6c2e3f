/** Node-RED in German, in a browser in German: what a person meets in it is in German, numbers too. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { PickerPage } from '../support/editor/drive-picker';
import { editorFixture } from '../support/editor/editor-fixture';
import { EditorPage } from '../support/editor/editor-page';
import type { DeployedNode } from '../support/node-red/node-red';

describe('in German', function () {
  this.timeout(60_000);
  let drive: LocalDrive;
  let id: string;
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    id = await drive.files.add({ name: 'archive.tar', content: 'x'.repeat(1_600_000) });
  });
  after(() => drive?.close());
  const of = editorFixture(() => flow(drive), { settings: { lang: 'de' }, locale: 'de-DE' });

  it('an error says in Catch what happened, with a decimal comma', async () => {
    of.nodeRed.receive('download', { payload: id });
    const [msg] = await of.nodeRed.outputs('caught');
    const { message } = (msg as unknown as { error: { message: string } }).error;
    message.should.startWith('Error: Der Inhalt hat 1,6 MiB; im Speicher sind 1 MiB erlaubt. Laden Sie ihn');
  });

  it('a node shows how it is', () => of.editor.status('download', 'zu groß'));

  it('the palette and the nodes say what they do', async () => {
    const { page } = of.editor;
    const label = page.locator('[data-palette-type="cloud-drive-search-files"] .red-ui-palette-label');
    (await label.innerText()).replace(/\s+/g, ' ').should.equal('Dateien suchen');
    const node = page.locator('[id="download"] .red-ui-flow-node-label');
    (await node.textContent())!.should.containEql('herunterladen → Buffer');
  });

  it('a dialog has German labels, and the picker German sizes', async () => {
    await of.editor.openNode('download');
    const form = of.editor.page.locator('#dialog-form');
    const text = await form.innerText();
    for (const label of ['Konto', 'Datei', 'Ausgabe', 'MiB im Speicher']) text.should.containEql(label);
    // A text that is missing shows its key.
    text.should.not.match(/(?:^|\n)\s*(?:field|row)\.|node-red-contrib/);
    const picker = new PickerPage(of.editor);
    await picker.open('file');
    const row = picker.row('archive.tar');
    (await row.innerText()).should.match(/1,6\sMB/);
    await row.click();
    (await picker.chosen.innerText()).should.equal('Ausgewählt: /archive.tar');
    await picker.choose('file');
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('a label that is too long for its place stays on one line, as in French', async () => {
    const browser = of.editor.page.context().browser()!;
    const french = await EditorPage.open(browser, of.nodeRed.url, { locale: 'fr-FR' });
    await french.openNode('upload');
    const label = french.page.locator('label[for="node-input-filename"]');
    (await label.innerText()).trim().should.equal('Chemin local');
    (await label.evaluate((element) => (element as HTMLElement).offsetHeight)).should.be.below(30);
    await french.close();
  });

  it('the help is German', async () => {
    const { page } = of.editor;
    await page.evaluate(() => {
      const { RED } = globalThis as unknown as { RED: { sidebar: { help: { show(type: string): void } } } };
      RED.sidebar.help.show('cloud-drive-download');
    });
    await page.locator('.red-ui-help', { hasText: 'Holt den Inhalt einer Datei' }).first().waitFor();
  });

  it('writes nothing wrong into the console', () => of.editor.errors.should.eql([]));
});

function flow(drive: LocalDrive): DeployedNode[] {
  const account = { id: 'account', type: 'cloud-drive-account', name: 'Drive', ...customAccount(drive.url) };
  const place = { z: 'tab', x: 300, y: 60, wires: [] };
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    { ...account, credentials: { ...CREDENTIALS } },
    { ...place, id: 'download', type: 'cloud-drive-download', account: 'account', maxSize: '1', wires: [[]] },
    { ...place, id: 'upload', type: 'cloud-drive-upload', account: 'account', source: 'file', y: 180 },
    { ...place, id: 'catch', type: 'catch', y: 120, scope: null, wires: [['caught']] },
    { ...place, id: 'caught', type: 'test-output', y: 120 },
  ];
}
