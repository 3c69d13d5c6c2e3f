/** Choosing folders and files on the machine that runs Node-RED, in the dialogs and by requests. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { PickerPage } from '../support/editor/drive-picker';
import { editorFixture } from '../support/editor/editor-fixture';
import { sharedNodeRed } from '../support/node-red/shared-node-red';

interface Response {
  files?: { id: string; name: string; isFolder: boolean; size?: number }[];
  nextPage?: string;
  error?: { code: string; message: string };
}

describe('choosing folders on this machine', () => {
  /** `cloudDriveLocalFolders`; the fixture reads it when Node-RED starts. */
  const allowed: string[] = [];
  let disk: string;
  let data: string;

  before(async () => {
    disk = await mkdtemp(path.join(tmpdir(), 'local-picker-'));
    data = path.join(disk, 'data');
    await mkdir(path.join(data, 'documents', 'letters'), { recursive: true });
    await mkdir(path.join(disk, 'data-secret'));
    await writeFile(path.join(data, 'notes.txt'), 'hello');
    await writeFile(path.join(disk, 'data-secret', 'key.pem'), 'secret');
    await symlink(path.join(disk, 'data-secret'), path.join(data, 'link'));
    allowed.push(data, 'relative');
  });
  const fixture = editorFixture(
    () => [
      { id: 'tab', type: 'tab', label: 'test' },
      { id: 'restore', type: 'cloud-drive-restore', z: 'tab', x: 300, y: 80, wires: [[]] },
    ],
    { settings: { cloudDriveLocalFolders: allowed } },
  );
  after(() => rm(disk, { recursive: true, force: true }));

  const list = async (folder: string, more = ''): Promise<[number, Response]> => {
    const query = `folder=${encodeURIComponent(folder)}${more}`;
    const response = await fixture.nodeRed.request(`/cloud-drive-restore/local-files?${query}`);
    return [response.status, (await response.json()) as Response];
  };

  it('the button opens the allowed folders, and its path replaces another type of value', async () => {
    const { editor } = fixture;
    const picker = new PickerPage(editor);
    await editor.openNode('restore');
    await editor.page.locator('#cloud-drive-choose-localPath').click();
    await picker.row(data).click();
    await picker.row('documents').waitFor();
    should(await picker.row('notes.txt').count()).equal(0);
    await picker.expand('documents', 'letters');
    await picker.row('letters').click();
    await picker.chosen.getByText(path.join(data, 'documents', 'letters')).waitFor();
    await picker.okButton.click();
    await editor.page.locator('#cloud-drive-choose-localPath:focus').waitFor();
    const value = path.join(data, 'documents', 'letters');
    should(await editor.typed('localPath')).eql({ type: 'str', value });
    await editor.closeDialog('#node-dialog-cancel');
    editor.errors.should.eql([]);
  });

  it('a folder lists its folders, then its files, without links', async () => {
    const [, { files = [] }] = await list(data);
    files
      .map(({ id, name, isFolder, size }) => [id, name, isFolder, size])
      .should.eql([
        [path.join(data, 'documents'), 'documents', true, undefined],
        [path.join(data, 'notes.txt'), 'notes.txt', false, 5],
      ]);
    const [, roots] = await list('');
    should(roots.files?.map(({ id }) => id)).eql([data]);
  });

  it('nothing outside the allowed folders is listed, whether it exists or not', async () => {
    for (const folder of [
      path.join(disk, 'data-secret'),
      `${data}/../data-secret`,
      `${data}/link`,
      disk,
      '/',
      '/no-such-folder',
      'relative',
      '.',
    ]) {
      const [status, { error, files }] = await list(folder);
      should(status).equal(403, folder);
      should(error?.code).equal('permission_denied');
      should(files).be.undefined();
    }
  });

  it('malformed requests are refused', async () => {
    const nul = '%00';
    for (const query of [`folder=${nul}`, 'kind=all', 'page=-1', 'page=x', 'folder=a&folder=b']) {
      const response = await fixture.nodeRed.request(`/cloud-drive-restore/local-files?${query}`);
      should(response.status).equal(400, query);
    }
  });

  it('a long folder is listed in pages', async () => {
    const many = path.join(data, 'many');
    await mkdir(many);
    await Promise.all(Array.from({ length: 201 }, (_, index) => mkdir(path.join(many, `f${index}`))));
    const [, first] = await list(many);
    const [, second] = await list(many, `&page=${first.nextPage}`);
    should(first.files).have.length(200);
    should(second.files?.map(({ name }) => name)).eql(['f200']);
    should(second.nextPage).be.undefined();
  });

  it('without the setting nothing is listed', async () => {
    const nodeRed = await sharedNodeRed();
    const response = await nodeRed.request('/cloud-drive-restore/local-files');
    ((await response.json()) as Response).should.eql({ files: [], rootId: 'root' });
    const folder = encodeURIComponent(data);
    const refused = await nodeRed.request(`/cloud-drive-restore/local-files?folder=${folder}`);
    refused.status.should.equal(403);
  });
});
