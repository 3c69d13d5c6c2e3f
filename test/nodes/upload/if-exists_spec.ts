/** Uploads under a name that is taken, as docs/nodes/upload.md describes them. */
import should from 'should';
import { useDrive } from '../../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

const upload = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-upload', ...more });

for (const service of ['custom', 'google'] as const) {
  describe(`upload node with a taken name at a ${service} service`, () => {
    useNodeRed();
    const drive = useDrive();
    let folder: string;
    let first: string;

    beforeEach(async () => {
      folder = await drive().files.addFolder('folder');
      first = await drive().files.add({ name: 'a.txt', content: 'old', parent: folder });
      // None of these is a conflict: a folder, a trashed file, a longer name.
      await drive().files.addFolder('a.txt', folder);
      await drive().files.add({ name: 'a.txt', content: 't', parent: folder, trashed: true });
      await drive().files.add({ name: 'a.txt.gz', content: 'z', parent: folder });
      drive().requests.clear();
    });

    const run = async (more: object, name = 'a.txt') => {
      const flow = await load([upload(more)], { url: drive().url, service });
      return flow.run('n', { payload: 'new', filename: name, folderId: folder });
    };
    const names = (): string[] =>
      drive()
        .files.in(folder)
        .filter(({ trashed, mimeType }) => !trashed && !mimeType.endsWith('folder'))
        .map(({ name }) => name)
        .sort();
    const content = async (id: string): Promise<string> => (await drive().files.contentOf(id)).toString();

    for (const more of [{}, { ifExists: 'duplicate' }]) {
      it(`upload creates a second file with ${JSON.stringify(more)}, without a search`, async () => {
        const sent = passed(await run(more));
        should(sent).match({ created: true, skipped: false });
        names().should.eql(['a.txt', 'a.txt', 'a.txt.gz']);
        (await content(first)).should.equal('old');
        drive()
          .requests.all.filter(({ query }) => query.includes('q='))
          .should.be.empty();
      });
    }

    it('upload replaces the content of the file with the same id', async () => {
      const sent = passed(await run({ ifExists: 'replace' }));
      should(sent).match({
        created: false,
        skipped: false,
        payload: { id: first, name: 'a.txt', size: '3' },
      });
      (await content(first)).should.equal('new');
      names().should.eql(['a.txt', 'a.txt.gz']);
    });

    it('upload skips the upload and returns the existing file', async () => {
      const sent = passed(await run({ ifExists: 'skip' }));
      should(sent).match({ created: false, skipped: true });
      const { payload } = sent;
      Object.keys(payload as object)
        .sort()
        .should.eql(['id', 'md5Checksum', 'mimeType', 'name', 'parents', 'size', 'webViewLink']);
      should(payload).match({ id: first, size: '3' });
      (await content(first)).should.equal('old');
      drive().requests.to('', '/upload/').should.be.empty();
    });

    it('upload renames the new file to the first free number', async () => {
      await drive().files.add({ name: 'a (1).txt', content: 'x', parent: folder });
      const sent = passed(await run({ ifExists: 'rename' }));
      should(sent).match({ created: true, skipped: false, payload: { name: 'a (2).txt' } });
      (await content(first)).should.equal('old');
    });

    it('upload fails with a conflict with ifExists error', async () => {
      failed(await run({ ifExists: 'error' }), 'conflict', 'a.txt', first);
      names().should.eql(['a.txt', 'a.txt.gz']);
      drive().requests.to('', '/upload/').should.be.empty();
    });

    for (const ifExists of ['replace', 'skip', 'rename', 'error']) {
      it(`upload creates the file with ${ifExists} if the name is free`, async () => {
        const sent = passed(await run({ ifExists }, 'free.txt'));
        should(sent).match({ created: true, skipped: false, payload: { name: 'free.txt' } });
      });
    }

    for (const ifExists of ['replace', 'skip']) {
      it(`upload fails with a conflict that lists the ids if several files have the name, with ${ifExists}`, async () => {
        const second = await drive().files.add({ name: 'a.txt', content: 'b', parent: folder });
        failed(await run({ ifExists }), 'conflict', first, second);
        (await content(first)).should.equal('old');
      });
    }

    it('upload treats composed and decomposed letters in a name as equal', async () => {
      const composed = await drive().files.add({ name: 'Übung', content: 'x', parent: folder });
      const sent = passed(await run({ ifExists: 'skip' }, 'U\u0308bung'));
      should(sent).match({ skipped: true, payload: { id: composed } });
    });
  });
}
