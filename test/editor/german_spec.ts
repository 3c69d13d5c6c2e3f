/** Node-RED in German, in a German browser: all texts and numbers are German. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../support/node-red/account';
import { PickerPage } from '../support/editor/drive-picker';
import { editorFixture } from '../support/editor/editor-fixture';
import { EditorPage } from '../support/editor/editor-page';
import type { DeployedNode } from '../support/node-red/node-red';

describe('German Node-RED', () => {
  let drive: LocalDrive;
  let id: string;
  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    id = await drive.files.add({ name: 'archive.tar', content: 'x'.repeat(1_600_000) });
  });
  after(() => drive?.close());
  const fixture = editorFixture(() => flow(drive), { settings: { lang: 'de' }, locale: 'de-DE' });

  it('gives Catch a German error message with a decimal comma', async () => {
    fixture.nodeRed.receive('download', { payload: id });
    const [msg] = await fixture.nodeRed.outputs('caught');
    const { message } = (msg as unknown as { error: { message: string } }).error;
    message.should.startWith(
      'Error: Der Inhalt umfasst 1,6 MiB, das Limit im Arbeitsspeicher ist 1 MiB. Laden Sie ihn',
    );
  });

  it('shows the status of a node in German', () => fixture.editor.status('download', 'zu groß'));

  it('shows German labels in the palette and on nodes', async () => {
    const { page } = fixture.editor;
    const label = page.locator('[data-palette-type="cloud-drive-search-files"] .red-ui-palette-label');
    (await label.innerText()).replace(/\s+/g, ' ').should.equal('Dateien suchen');
    const node = page.locator('[id="download"] .red-ui-flow-node-label');
    (await node.textContent())!.should.containEql('herunterladen → Buffer');
  });

  it('shows German labels in a dialog and German sizes in the drive picker', async () => {
    await fixture.editor.openNode('download');
    const form = fixture.editor.page.locator('#dialog-form');
    const text = await form.innerText();
    for (const label of ['Konto', 'Datei', 'MiB im Arbeitsspeicher']) text.should.containEql(label);
    // The editor shows the key of a missing text.
    text.should.not.match(/(?:^|\n)\s*(?:field|row)\.|node-red-contrib/);
    const picker = new PickerPage(fixture.editor);
    await picker.open('file');
    const row = picker.row('archive.tar');
    (await row.innerText()).should.match(/1,6\sMB/);
    await row.click();
    (await picker.chosen.innerText()).should.equal('Ausgewählt: /archive.tar');
    await picker.choose('file');
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('keeps a long label on one line in French', async () => {
    const browser = fixture.editor.page.context().browser()!;
    const french = await EditorPage.open(browser, fixture.nodeRed.url, { locale: 'fr-FR' });
    await french.openNode('upload');
    const label = french.page.locator('label[for="node-input-filename"]');
    (await label.innerText()).trim().should.equal('Chemin local');
    (await label.evaluate((element) => (element as HTMLElement).offsetHeight)).should.be.below(30);
    await french.close();
  });

  it('shows the German help', async () => {
    const { page } = fixture.editor;
    await page.evaluate(() => {
      const { RED } = globalThis as unknown as { RED: { sidebar: { help: { show(type: string): void } } } };
      RED.sidebar.help.show('cloud-drive-download');
    });
    await page.locator('.red-ui-help', { hasText: 'Lädt eine Datei als Buffer' }).first().waitFor();
  });

  it('logs no error in the console', () => fixture.editor.errors.should.eql([]));
});

function flow(drive: LocalDrive): DeployedNode[] {
  const account = { id: 'account', type: 'cloud-drive-account', name: 'Drive', ...customAccount(drive.url) };
  const position = { z: 'tab', x: 300, y: 60, wires: [] };
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    { ...account, credentials: { ...CREDENTIALS } },
    {
      ...position,
      id: 'download',
      type: 'cloud-drive-download',
      account: 'account',
      maxSize: '1',
      wires: [[]],
    },
    { ...position, id: 'upload', type: 'cloud-drive-upload', account: 'account', source: 'file', y: 180 },
    { ...position, id: 'catch', type: 'catch', y: 120, scope: null, wires: [['caught']] },
    { ...position, id: 'caught', type: 'test-output', y: 120 },
  ];
}
