/** Short forms of the default inputs, such as an id instead of an object: docs/nodes.md, "What goes in". */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { fileRequests, useDrive } from '../../support/node-red/flow-drive';
import { load, node, useNodeRed } from '../../support/node-red/load';
import { passed } from '../../support/node-red/outcome';

describe('short forms of inputs', () => {
  useNodeRed();
  const drive = useDrive();
  let folder: string;
  let inner: string;
  let file: string;

  before(async () => {
    folder = await drive().files.addFolder('folder');
    inner = await drive().files.addFolder('inner', folder);
    file = await drive().files.add({ name: 'report 7.txt', content: 'content', parent: folder });
    await drive().files.add({ name: 'report 8.txt', content: 'elsewhere' });
  });

  const folders = (): unknown[] => [
    folder,
    [folder],
    { id: folder },
    { folderId: folder },
    [{ folderId: folder }],
    { folderId: folder, id: file },
    { id: folder, name: 'folder', mimeType: 'x' },
  ];

  it('list-folders accepts an id, an object with folderId or id, and an array of one', async () => {
    const flow = await load([node('list-folders')], { url: drive().url });
    for (const payload of folders()) {
      const sent = passed(await flow.run('n', { payload }));
      should(sent.payload).match([{ id: inner, name: 'inner' }]);
    }
  });

  it("list-folders takes '' as the root", async () => {
    const flow = await load([node('list-folders', { folder: '', folderType: 'str' })], { url: drive().url });
    should(passed(await flow.run('n')).payload).matchAny({ id: folder });
    fileRequests(drive())[0]?.should.containEql("'root' in parents");
  });

  it('upload and create-folder accept the same for the parent folder', async () => {
    const upload = await load([node('upload', { targetName: 'up', targetNameType: 'str' })], {
      url: drive().url,
    });
    const place = await drive().files.addFolder('place');
    for (const folderId of [place, [place], { id: place }, { folderId: place, id: file }, [{ id: place }]]) {
      const sent = passed(await upload.run('n', { payload: 'x', folderId }));
      should(sent.payload).match({ parents: [place] });
    }
    for (const msg of [{ payload: 'x' }, { payload: 'x', folderId: '' }]) {
      should(passed(await upload.run('n', msg)).payload).match({ parents: [drive().files.rootId] });
    }
    await helper.unload();
    const create = await load([node('create-folder', { folder: 'where', folderType: 'msg' })], {
      url: drive().url,
    });
    for (const where of [place, [place], { id: place }, { folderId: place }]) {
      should(passed(await create.run('n', { payload: 'made', where })).payload).match({ parents: [place] });
    }
    should(passed(await create.run('n', { payload: 'made', where: '' })).payload).match({
      parents: [drive().files.rootId],
    });
  });

  it('download accepts an id, an object with fileId or id, and an array of one', async () => {
    const flow = await load([node('download')], { url: drive().url });
    for (const payload of [
      file,
      [file],
      { id: file },
      { fileId: file },
      [{ fileId: file }],
      { fileId: file, id: folder },
      { folderId: folder, id: file },
    ]) {
      should(passed(await flow.run('n', { payload })).payload).eql(Buffer.from('content'));
    }
  });

  describe('search-files', () => {
    const found = async (payload: unknown, more: object = {}): Promise<unknown[]> => {
      const flow = await load([node('search-files', more)], { url: drive().url });
      const sent = passed(await flow.run('n', { payload }));
      await helper.unload();
      return (sent.payload as { name: string }[]).map(({ name }) => name).sort();
    };

    it('search-files takes folder and text from an object', async () => {
      (await found({ folderId: folder, text: 'report' })).should.eql(['report 7.txt']);
    });
    it('search-files searches everywhere with an empty folderId, and for any name with an empty text', async () => {
      (await found({ folderId: '', text: 'report' })).should.eql(['report 7.txt', 'report 8.txt']);
      fileRequests(drive())[0]?.should.not.containEql('in parents');
      (await found({ folderId: folder, text: '' })).should.eql(['report 7.txt']);
    });
    it('search-files takes a string payload as the text and searches everywhere', async () => {
      (await found('report 7')).should.eql(['report 7.txt']);
      fileRequests(drive())[0]?.should.not.containEql('in parents');
    });
    it('search-files takes a number payload as the text', async () => {
      (await found(8)).should.eql(['report 8.txt']);
    });
    it('search-files takes a string payload as the text if the folder is set in the dialog', async () => {
      (await found('report', { folder, folderType: 'drive' })).should.eql(['report 7.txt']);
    });
    it('search-files takes a folder object as the folder', async () => {
      const text = { text: 'report', textType: 'str' };
      for (const payload of folders().filter((each) => typeof (each as object[])[0] !== 'string')) {
        (await found(payload, text)).should.eql(['report 7.txt']);
      }
    });
    it('search-files accepts a number as text in an object', async () => {
      (await found({ folderId: folder, text: 7 })).should.eql(['report 7.txt']);
    });
    it("search-files lists the whole drive if both are typed as ''", async () => {
      const typed = { folder: '', folderType: 'str', text: '', textType: 'str' };
      (await found(undefined, typed)).should.containDeep(['report 7.txt', 'report 8.txt']);
    });
  });
});
