/** Choosing on a shared drive in the real editor, with the preset as it is and the local drive in Google's place. */
import 'should';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, environmentOfPreset } from '../support/node-red/account';
import { PickerPage } from '../support/editor/drive-picker';
import { editorFixture } from '../support/editor/editor-fixture';
import type { DeployedNode } from '../support/node-red/node-red';

const ROOT = 'Shared drive';

describe('choosing on a shared drive', function () {
  this.timeout(60_000);
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
    // What must not be seen, and would be found by the same words.
    for (const parent of [files.rootId, await files.addSharedDrive('Other')]) {
      await files.addFolder('Backups elsewhere', parent);
      await files.add({ name: 'team backup elsewhere.tar', parent, content: 'elsewhere' });
    }
  });
  const of = editorFixture(flow, { env: () => environmentOfPreset(drive.url) });
  after(() => drive?.close());

  const picker = (): PickerPage => new PickerPage(of.editor);
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

  it('lists its folders and files from its root, and takes one', async () => {
    await of.editor.openNode('download');
    await picker().open('file');
    await picker().row('notes.txt').waitFor();
    (await names()).should.eql([ROOT, 'Backups', 'notes.txt']);
    await picker().expand('Backups', 'team backup.tar');
    (await names()).should.eql([ROOT, 'Backups', 'team backup.tar', 'notes.txt']);
    await picker().row('team backup.tar').click();
    (await picker().chosen.innerText()).should.equal('Chosen: /Backups/team backup.tar');
    await picker().choose('file');
    await of.editor.closeDialog('#node-dialog-ok');
    const chosen = { file: archive, fileType: 'drive', filePath: '/Backups/team backup.tar' };
    (await of.editor.exported('download')).should.containEql(chosen);
  });

  it('takes its root, by the id of the drive', async () => {
    await of.editor.openNode('upload');
    await picker().open('folder');
    await picker().row('Backups').waitFor();
    (await names()).should.eql([ROOT, 'Backups']);
    await picker().row(ROOT).click();
    (await picker().chosen.innerText()).should.equal('Chosen: /');
    await picker().choose('folder');
    await of.editor.closeDialog('#node-dialog-ok');
    const chosen = { folder: driveId, folderType: 'drive', folderPath: '/' };
    (await of.editor.exported('upload')).should.containEql(chosen);
  });

  it('finds by name in it and nowhere else, and tells where that lies', async () => {
    await of.editor.openNode('download');
    await picker().open('file');
    await picker().search.fill('backup');
    await picker().row('team backup.tar').click();
    await picker().chosen.getByText('/Backups/team backup.tar').waitFor();
    (await names()).slice(1).should.eql(['Backups', 'team backup.tar']);
    await picker().search.fill('elsewhere');
    await picker().rows.getByText('Nothing of that name is found').waitFor();
    await picker().cancel('file');
    await of.editor.closeDialog('#node-dialog-cancel');
  });

  it('makes new folders in its root and in a folder of it', async () => {
    await of.editor.openNode('upload');
    await picker().open('folder');
    await picker().row('Backups').waitFor();
    await makeFolder('At the top');
    await picker().chosen.getByText('/At the top').waitFor();
    inDrive(driveId).should.eql(['Backups', 'notes.txt', 'At the top']);
    await picker().row('Backups').click();
    await makeFolder('Below');
    await picker().chosen.getByText('/Backups/Below').waitFor();
    inDrive(backups).should.eql(['team backup.tar', 'Below']);
    await picker().choose('folder');
    await of.editor.closeDialog('#node-dialog-ok');
    const made = drive.files.in(backups).find(({ name }) => name === 'Below');
    (await of.editor.exported('upload')).should.containEql({
      folder: made?.id,
      folderPath: '/Backups/Below',
    });
    inDrive(drive.files.rootId).should.have.length(2);
  });

  async function makeFolder(called: string): Promise<void> {
    await picker().area.getByRole('button', { name: 'New folder' }).click();
    const name = picker().area.getByLabel('Its name');
    await name.fill(called);
    await name.press('Enter');
  }

  it('writes nothing wrong into the console', () => {
    of.editor.errors.should.eql([]);
  });
});
