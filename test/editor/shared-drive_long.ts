/** The drive picker on a shared drive in the real editor, with the Google preset and the local drive as Google. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, redirectedPresetEnv } from '../support/node-red/account';
import { PickerPage } from '../support/editor/drive-picker';
import { editorFixture } from '../support/editor/editor-fixture';
import { accountText } from '../support/languages';
import type { DeployedNode } from '../support/node-red/node-red';

const ROOT = 'Team';

describe('drive picker on a shared drive', () => {
  let drive: LocalDrive;
  let driveId: string;
  let backups: string;
  let archive: string;

  before(async () => {
    drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
    const { files } = drive;
    driveId = await files.addSharedDrive('Team');
    backups = await files.addFolder('Backups', driveId);
    await files.add({ name: 'notes.txt', parent: driveId, content: 'notes' });
    archive = await files.add({ name: 'team backup.tar', parent: backups, content: 'archive' });
    // Files on other drives that match the same searches.
    for (const parent of [files.rootId, await files.addSharedDrive('Other')]) {
      await files.addFolder('Backups elsewhere', parent);
      await files.add({ name: 'team backup elsewhere.tar', parent, content: 'elsewhere' });
    }
  });
  const fixture = editorFixture(flow, { env: () => redirectedPresetEnv(drive.url) });
  after(() => drive?.close());

  const picker = (): PickerPage => new PickerPage(fixture.editor);
  const names = async (): Promise<string[]> => {
    const rows = await picker().rows.allInnerTexts();
    return rows.map((row) => row.split('\n')[0]!.trim());
  };
  const inDrive = (parent: string): string[] => drive.files.in(parent).map(({ name }) => name);

  function flow(): DeployedNode[] {
    const account = { id: 'account', type: 'cloud-drive-account', name: 'Team', service: 'google', driveId };
    const node = { z: 'tab', account: 'account', x: 300, wires: [[]] };
    return [
      { id: 'tab', type: 'tab', label: 'test' },
      { ...account, credentials: { ...CREDENTIALS } },
      { ...node, id: 'download', type: 'cloud-drive-download', y: 60 },
      { ...node, id: 'upload', type: 'cloud-drive-upload', y: 120 },
    ];
  }

  it('lists files from the root of the shared drive, and picks one', async () => {
    await fixture.editor.openNode('download');
    await picker().open('file');
    await picker().row('notes.txt').waitFor();
    (await names()).should.eql([ROOT, 'Backups', 'notes.txt']);
    await picker().expand('Backups', 'team backup.tar');
    (await names()).should.eql([ROOT, 'Backups', 'team backup.tar', 'notes.txt']);
    await picker().row('team backup.tar').click();
    (await picker().chosen.innerText()).should.equal('Selected: /Backups/team backup.tar');
    await picker().choose('file');
    await fixture.editor.closeDialog('#node-dialog-ok');
    const chosen = { file: archive, fileType: 'drive', filePath: '/Backups/team backup.tar' };
    (await fixture.editor.exported('download')).should.containEql(chosen);
  });

  it('picks the root by the id of the shared drive', async () => {
    await fixture.editor.openNode('upload');
    await picker().open('folder');
    await picker().row('Backups').waitFor();
    (await names()).should.eql([ROOT, 'Backups']);
    await picker().row(ROOT).click();
    (await picker().chosen.innerText()).should.equal('Selected: /');
    await picker().choose('folder');
    await fixture.editor.closeDialog('#node-dialog-ok');
    const chosen = { folder: driveId, folderType: 'drive', folderPath: '/' };
    (await fixture.editor.exported('upload')).should.containEql(chosen);
  });

  it('finds files only on the shared drive and shows their path', async () => {
    await fixture.editor.openNode('download');
    await picker().open('file');
    await picker().search.fill('backup');
    await picker().row('team backup.tar').click();
    await picker().chosen.getByText('/Backups/team backup.tar').waitFor();
    (await names()).slice(1).should.eql(['Backups', 'team backup.tar']);
    await picker().search.fill('elsewhere');
    await picker().rows.getByText(accountText('browse.none_found')).waitFor();
    await picker().cancel('file');
    await fixture.editor.closeDialog('#node-dialog-cancel');
  });

  it('creates folders in the root and in a folder of the shared drive', async () => {
    await fixture.editor.openNode('upload');
    await picker().open('folder');
    await picker().row('Backups').waitFor();
    await createFolder('At the top');
    await picker().chosen.getByText('/At the top').waitFor();
    inDrive(driveId).should.eql(['Backups', 'notes.txt', 'At the top']);
    await picker().row('Backups').click();
    await createFolder('Below');
    await picker().chosen.getByText('/Backups/Below').waitFor();
    inDrive(backups).should.eql(['team backup.tar', 'Below']);
    await picker().choose('folder');
    await fixture.editor.closeDialog('#node-dialog-ok');
    const made = drive.files.in(backups).find(({ name }) => name === 'Below');
    (await fixture.editor.exported('upload')).should.containEql({
      folder: made?.id,
      folderPath: '/Backups/Below',
    });
    inDrive(drive.files.rootId).should.have.length(2);
  });

  async function createFolder(folderName: string): Promise<void> {
    await picker().area.getByRole('button', { name: 'New folder' }).click();
    const name = picker().area.getByLabel('Folder name');
    await name.fill(folderName);
    await name.press('Enter');
  }

  it('logs no error in the console', () => {
    fixture.editor.errors.should.eql([]);
  });
});
