/** Moving, copying, restoring. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update */
import should from 'should';
import type { ConflictPolicy, CopyRequest } from '../../../src/index';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';

const FIELDS = 'id,name,parents';

for (const kind of ['google', 'custom'] as const) {
  describe(`moves and copies, ${kind}`, () => {
    const at = driveFixture({}, { service: { kind } });
    let from: string;
    let to: string;
    let id: string;

    beforeEach(async () => {
      from = await at.drive.files.addFolder('from');
      to = await at.drive.files.addFolder('to');
      id = await at.drive.files.add({ name: 'a.txt', parent: from, content: 'source' });
      at.drive.requests.clear();
    });

    const wanted = (more: Partial<CopyRequest> = {}): CopyRequest => ({
      ...{ id, folderId: to, name: '', ifExists: 'duplicate', fields: FIELDS },
      ...more,
    });
    const move = (more: Partial<CopyRequest> = {}) => at.client.move({ ...wanted(more), restore: false });
    const restore = (more: Partial<CopyRequest> = {}) =>
      at.client.move({ ...wanted({ folderId: '', ...more }), restore: true });
    const copy = (more: Partial<CopyRequest> = {}) => at.client.copy(wanted(more));
    const names = (folder: string): string[] =>
      at.drive.files
        .in(folder)
        .filter(({ trashed }) => !trashed)
        .map(({ name }) => name);
    const inTrash = (folder: string): string[] =>
      at.drive.files
        .in(folder)
        .filter(({ trashed }) => trashed)
        .map((file) => file.id);
    const other = (name = 'a.txt') => at.drive.files.add({ name, parent: to, content: 'other' });
    const methods = (): string => at.drive.requests.all.map(({ method }) => method).join(' ');

    it('moves a file with two requests, and once more without harm', async () => {
      const first = await move();
      first.should.deepEqual({ file: { id, name: 'a.txt', parents: [to] }, created: false, skipped: false });
      methods().should.equal('GET PATCH');
      (await move()).should.deepEqual(first);
      [names(from), names(to)].should.deepEqual([[], ['a.txt']]);
    });

    it('renames where it is, moves and renames at once, and takes the alias for the root', async () => {
      (await move({ folderId: '', name: 'b' })).file.should.deepEqual({ id, name: 'b', parents: [from] });
      (await move({ name: 'c' })).file.should.deepEqual({ id, name: 'c', parents: [to] });
      const root = at.drive.files.rootId;
      (await move({ folderId: 'root' })).file.should.deepEqual({ id, name: 'c', parents: [root] });
      at.drive.requests.clear();
      await move({ folderId: 'root', name: 'd' });
      should(at.drive.requests.to('PATCH')[0]?.query).not.match(/addParents/);
    });

    it('moves a folder with all that is in it, but not into itself, and the root never', async () => {
      await move({ id: from });
      names(to).should.deepEqual(['from']);
      names(from).should.deepEqual(['a.txt']);
      await rejected(move({ id: to, folderId: from }), 'permission_denied');
      for (const root of ['root', at.drive.files.rootId])
        await rejected(move({ id: root, folderId: '', name: 'x' }), 'invalid_input');
    });

    it('copies under the same name, another or a number, and leaves the source as it is', async () => {
      const { file, created } = await copy();
      created.should.be.true();
      should(file.id).not.equal(id);
      (await at.drive.files.contentOf(file.id)).toString().should.equal('source');
      await copy({ folderId: '', name: 'b.txt' });
      await copy({ folderId: '', ifExists: 'rename' });
      [names(from), names(to)].should.deepEqual([['a.txt', 'b.txt', 'a (1).txt'], ['a.txt']]);
    });

    it('says that no folder can be copied', async () => {
      const error = await rejected(copy({ id: from }), 'invalid_input');
      error.text.should.equal('invalid_input_folder_copied');
    });

    it('takes out of the trash, to where it was or elsewhere', async () => {
      await at.client.trash(id);
      (await restore()).file.should.deepEqual({ id, name: 'a.txt', parents: [from] });
      names(from).should.deepEqual(['a.txt']);
      await at.client.trash(id);
      (await restore({ folderId: to, name: 'back' })).file.should.have.properties({ parents: [to] });
      names(to).should.deepEqual(['back']);
    });

    it('says so where what is restored stays in the trash with its folder', async () => {
      await at.client.trash(from);
      const error = await rejected(restore(), 'conflict');
      error.text.should.equal('conflict_folder_trashed');
      await restore({ folderId: to });
      names(to).should.deepEqual(['a.txt']);
    });

    for (const how of [move, copy]) {
      describe(`${how === move ? 'a move' : 'a copy'} where one of that name is there`, () => {
        it('makes two of them by default', async () => {
          await other();
          await how();
          names(to).should.deepEqual(['a.txt', 'a.txt']);
        });

        it('replace puts the other one into the trash when the new one is there', async () => {
          const old = await other();
          const { file, skipped } = await how({ ifExists: 'replace' });
          skipped.should.be.false();
          names(to).should.deepEqual(['a.txt']);
          inTrash(to).should.deepEqual([old]);
          (await at.drive.files.contentOf(file.id)).toString().should.equal('source');
        });

        it('replace takes nothing away where the new one does not come', async () => {
          await other();
          const match = {
            path: how === move ? new RegExp(`${id}$`) : /copy$/,
            method: how === move ? 'PATCH' : 'POST',
          };
          at.drive.faults.add({ kind: 'error', reason: 'insufficientFilePermissions', match });
          await rejected(how({ ifExists: 'replace' }), 'permission_denied');
          inTrash(to).should.deepEqual([]);
        });

        it('skip leaves everything as it is and gives the other one', async () => {
          const old = await other();
          const { file, created, skipped } = await how({ ifExists: 'skip' });
          [created, skipped].should.deepEqual([false, true]);
          file.should.deepEqual({ id: old, name: 'a.txt', parents: [to] });
          [names(from), names(to)].should.deepEqual([['a.txt'], ['a.txt']]);
        });

        it('rename takes the first free number', async () => {
          await other();
          await other('a (1).txt');
          should((await how({ ifExists: 'rename' })).file.name).equal('a (2).txt');
        });

        it('error ends it before anything is done', async () => {
          const old = await other();
          const error = await rejected(how({ ifExists: 'error' }), 'conflict');
          error.params.should.deepEqual({ name: 'a.txt', ids: old });
          [names(from), names(to)].should.deepEqual([['a.txt'], ['a.txt']]);
        });

        for (const ifExists of ['replace', 'skip'] as const) {
          it(`${ifExists} with two of them lists their ids`, async () => {
            const ids = [await other(), await other()];
            should((await rejected(how({ ifExists }), 'conflict')).params['ids']).equal(ids.join(', '));
          });
        }

        it('one after the other: of ten at once for one name each gets its own', async () => {
          const ids = await Promise.all(
            Array.from({ length: 10 }, () => at.drive.files.add({ name: 'a.txt', parent: from })),
          );
          await Promise.all(ids.map((each) => how({ id: each, ifExists: 'rename' })));
          new Set(names(to)).size.should.equal(10);
        });
      });
    }

    it('a file is never in its own way, but a copy is in that of its source', async () => {
      for (const ifExists of ['replace', 'skip', 'rename', 'error'] as const) {
        (await move({ folderId: '', ifExists })).skipped.should.be.false();
        names(from).should.deepEqual(['a.txt']);
      }
      for (const ifExists of ['replace', 'skip'] as const) {
        (await copy({ folderId: '', ifExists })).should.have.properties({ skipped: true, created: false });
        inTrash(from).should.deepEqual([]);
      }
      await rejected(copy({ folderId: '', ifExists: 'error' }), 'conflict');
    });

    it('never replaces a folder by a folder, and never takes one for a file', async () => {
      const folder = await at.drive.files.addFolder('a.txt', to);
      await move({ ifExists: 'error' });
      const second = await at.drive.files.addFolder('a.txt', from);
      const error = await rejected(move({ id: second, ifExists: 'replace' }), 'conflict');
      error.text.should.equal('conflict_folder_there');
      inTrash(to).should.deepEqual([]);
      should((await move({ id: second, ifExists: 'skip' })).file.id).equal(folder);
    });

    for (const [what, ifExists] of [
      ['alone', 'duplicate'],
      ['with a number', 'rename'],
    ] as [string, ConflictPolicy][]) {
      it(`does it once where the answer gets lost, ${what}`, async () => {
        if (ifExists === 'rename') await other();
        for (const [how, method] of [
          [copy, 'POST'],
          [move, 'PATCH'],
        ] as const) {
          at.drive.faults.add({ kind: 'lostResponse', match: { method } });
          await how({ ifExists });
        }
        names(to).length.should.equal(ifExists === 'rename' ? 3 : 2);
        names(from).should.deepEqual([]);
      });
    }

    it('asks where the file is now when the answer to a move got lost', async () => {
      at.drive.faults.add({ kind: 'lostResponse', match: { method: 'PATCH' } });
      await move();
      methods().should.equal('GET PATCH GET PATCH');
      const [first, second] = at.drive.requests.to('PATCH');
      should(first?.query).match(new RegExp(`removeParents=${from}`));
      should(second?.query).not.match(/removeParents/);
    });

    it('leaves a document of the editors without an id of ours, and so copies it only once', async () => {
      const mimeType = 'application/vnd.google-apps.document';
      const document = await at.drive.files.add({ name: 'doc', parent: from, mimeType });
      (await copy({ id: document })).created.should.be.true();
      at.drive.faults.add({ kind: 'lostResponse', match: { method: 'POST' } });
      await rejected(copy({ id: document, name: 'second' }), 'network');
      names(to).should.deepEqual(['doc', 'second']);
    });

    it('says that it knows shared drives', async () => {
      await move({ ifExists: 'error' });
      await copy({ folderId: from });
      const flags = at.drive.requests.all
        .filter(({ path }) => !path.endsWith('generateIds'))
        .map(({ query }) => query.includes('supportsAllDrives=true'));
      new Set(flags).should.deepEqual(new Set([kind === 'google']));
    });
  });
}
