/** Moving, copying and restoring: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import type { CopyRequest } from '../../../src/index';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import { holdRequest } from '../../support/http/hold-request';

const FIELDS = 'id,name,parents';

for (const kind of ['google', 'custom'] as const) {
  describe(`move and copy, ${kind} service`, () => {
    const fixture = driveFixture({}, { service: { can: CAPABILITIES[kind] } });
    let from: string;
    let to: string;
    let id: string;

    beforeEach(async () => {
      from = await fixture.drive.files.addFolder('from');
      to = await fixture.drive.files.addFolder('to');
      id = await fixture.drive.files.add({ name: 'a.txt', parent: from, content: 'source' });
      fixture.drive.requests.clear();
    });

    const request = (more: Partial<CopyRequest> = {}): CopyRequest => ({
      ...{ id, folderId: to, name: '', ifExists: 'duplicate', fields: FIELDS },
      ...more,
    });
    const move = (more: Partial<CopyRequest> = {}) =>
      fixture.client.move({ ...request(more), restore: false });
    const restore = (more: Partial<CopyRequest> = {}) =>
      fixture.client.move({ ...request({ folderId: '', ...more }), restore: true });
    const copy = (more: Partial<CopyRequest> = {}) => fixture.client.copy(request(more));
    const names = (folder: string): string[] => fixture.drive.files.untrashedNames(folder);
    const trashedIn = (folder: string): string[] =>
      fixture.drive.files
        .in(folder)
        .filter(({ trashed }) => trashed)
        .map((file) => file.id);
    const addOther = (name = 'a.txt') => fixture.drive.files.add({ name, parent: to, content: 'other' });
    const methods = (): string => fixture.drive.requests.all.map(({ method }) => method).join(' ');

    it(`move sends two requests, and a repeated move has the same result, ${kind}`, async () => {
      const first = await move();
      first.should.deepEqual({ file: { id, name: 'a.txt', parents: [to] }, created: false, skipped: false });
      methods().should.equal('GET PATCH');
      (await move()).should.deepEqual(first);
      [names(from), names(to)].should.deepEqual([[], ['a.txt']]);
    });

    it(`move renames, moves and renames in one request, and accepts the alias of the root, ${kind}`, async () => {
      (await move({ folderId: '', name: 'b' })).file.should.deepEqual({ id, name: 'b', parents: [from] });
      (await move({ name: 'c' })).file.should.deepEqual({ id, name: 'c', parents: [to] });
      const root = fixture.drive.files.rootId;
      (await move({ folderId: 'root' })).file.should.deepEqual({ id, name: 'c', parents: [root] });
      fixture.drive.requests.clear();
      await move({ folderId: 'root', name: 'd' });
      should(fixture.drive.requests.to('PATCH')[0]?.query).not.match(/addParents/);
    });

    it(`move moves a folder with its content, but rejects a folder into its subfolder and the root, ${kind}`, async () => {
      await move({ id: from });
      names(to).should.deepEqual(['from']);
      names(from).should.deepEqual(['a.txt']);
      await rejected(move({ id: to, folderId: from }), 'invalid_input', 'invalid_input_cycle');
      for (const root of ['root', fixture.drive.files.rootId])
        await rejected(move({ id: root, folderId: '', name: 'x' }), 'invalid_input');
    });

    it(`copy creates a file with the same, another or a numbered name and leaves the source unchanged, ${kind}`, async () => {
      const { file, created } = await copy();
      created.should.be.true();
      should(file.id).not.equal(id);
      (await fixture.drive.files.contentOf(file.id)).toString().should.equal('source');
      await copy({ folderId: '', name: 'b.txt' });
      await copy({ folderId: '', ifExists: 'rename' });
      [names(from), names(to)].should.deepEqual([['a.txt', 'b.txt', 'a (1).txt'], ['a.txt']]);
    });

    it(`copy rejects a folder with invalid_input, ${kind}`, async () => {
      const error = await rejected(copy({ id: from }), 'invalid_input');
      error.text.should.equal('invalid_input_folder_copied');
    });

    it(`move with restore takes a file out of the trash into its former or another folder, ${kind}`, async () => {
      await fixture.client.trash(id);
      (await restore()).file.should.deepEqual({ id, name: 'a.txt', parents: [from] });
      names(from).should.deepEqual(['a.txt']);
      await fixture.client.trash(id);
      (await restore({ folderId: to, name: 'back' })).file.should.have.properties({ parents: [to] });
      names(to).should.deepEqual(['back']);
    });

    it(`move with restore fails with conflict if the folder of the file is in the trash, ${kind}`, async () => {
      await fixture.client.trash(from);
      const error = await rejected(restore(), 'conflict');
      error.text.should.equal('conflict_folder_trashed');
      await restore({ folderId: to });
      names(to).should.deepEqual(['a.txt']);
    });

    for (const how of [move, copy]) {
      const action = how === move ? 'move' : 'copy';
      describe(`${action} to a folder with a file of that name`, () => {
        it(`${action} keeps both files by default, ${kind}`, async () => {
          await addOther();
          await how();
          names(to).should.deepEqual(['a.txt', 'a.txt']);
        });

        it(`${action} with replace trashes the existing file afterwards, ${kind}`, async () => {
          const old = await addOther();
          const { file, skipped } = await how({ ifExists: 'replace' });
          skipped.should.be.false();
          names(to).should.deepEqual(['a.txt']);
          trashedIn(to).should.deepEqual([old]);
          (await fixture.drive.files.contentOf(file.id)).toString().should.equal('source');
        });

        it(`${action} with replace trashes nothing if the ${action} fails, ${kind}`, async () => {
          await addOther();
          const match = {
            path: how === move ? new RegExp(`${id}$`) : /copy$/,
            method: how === move ? 'PATCH' : 'POST',
          };
          fixture.drive.faults.add({ kind: 'error', reason: 'insufficientFilePermissions', match });
          await rejected(how({ ifExists: 'replace' }), 'permission_denied');
          trashedIn(to).should.deepEqual([]);
        });

        it(`${action} with skip changes nothing and returns the existing file, ${kind}`, async () => {
          const old = await addOther();
          const { file, created, skipped } = await how({ ifExists: 'skip' });
          [created, skipped].should.deepEqual([false, true]);
          file.should.deepEqual({ id: old, name: 'a.txt', parents: [to] });
          [names(from), names(to)].should.deepEqual([['a.txt'], ['a.txt']]);
        });

        it(`${action} with rename uses the first free number, ${kind}`, async () => {
          await addOther();
          await addOther('a (1).txt');
          should((await how({ ifExists: 'rename' })).file.name).equal('a (2).txt');
        });

        it(`${action} with error fails with conflict before any change, ${kind}`, async () => {
          const old = await addOther();
          const error = await rejected(how({ ifExists: 'error' }), 'conflict');
          error.params.should.deepEqual({ name: 'a.txt', ids: old });
          [names(from), names(to)].should.deepEqual([['a.txt'], ['a.txt']]);
        });

        for (const ifExists of ['replace', 'skip'] as const) {
          it(`${action} with ${ifExists} fails with the ids of two existing files, ${kind}`, async () => {
            const ids = [await addOther(), await addOther()];
            should((await rejected(how({ ifExists }), 'conflict')).params['ids']).equal(ids.join(', '));
          });
        }

        it(`ten concurrent calls of ${action} with rename get different names, ${kind}`, async () => {
          const ids = await Promise.all(
            Array.from({ length: 10 }, () => fixture.drive.files.add({ name: 'a.txt', parent: from })),
          );
          await Promise.all(ids.map((each) => how({ id: each, ifExists: 'rename' })));
          new Set(names(to)).size.should.equal(10);
        });
      });
    }

    it(`a moved file doesn’t conflict with itself, but a copy conflicts with its source, ${kind}`, async () => {
      for (const ifExists of ['replace', 'skip', 'rename', 'error'] as const) {
        (await move({ folderId: '', ifExists })).skipped.should.be.false();
        names(from).should.deepEqual(['a.txt']);
      }
      for (const ifExists of ['replace', 'skip'] as const) {
        (await copy({ folderId: '', ifExists })).should.have.properties({ skipped: true, created: false });
        trashedIn(from).should.deepEqual([]);
      }
      await rejected(copy({ folderId: '', ifExists: 'error' }), 'conflict');
    });

    it(`move never replaces a folder, and a folder doesn’t conflict with a file, ${kind}`, async () => {
      const folder = await fixture.drive.files.addFolder('a.txt', to);
      await move({ ifExists: 'error' });
      const second = await fixture.drive.files.addFolder('a.txt', from);
      const error = await rejected(move({ id: second, ifExists: 'replace' }), 'conflict');
      error.text.should.equal('conflict_folder_there');
      trashedIn(to).should.deepEqual([]);
      should((await move({ id: second, ifExists: 'skip' })).file.id).equal(folder);
    });

    for (const ifExists of ['duplicate', 'rename'] as const) {
      it(`move and copy with ${ifExists} take effect once if the response is lost, ${kind}`, async () => {
        if (ifExists === 'rename') await addOther();
        for (const [how, method] of [
          [copy, 'POST'],
          [move, 'PATCH'],
        ] as const) {
          fixture.drive.faults.add({ kind: 'lostResponse', match: { method } });
          await how({ ifExists });
        }
        names(to).length.should.equal(ifExists === 'rename' ? 3 : 2);
        names(from).should.deepEqual([]);
      });
    }

    it(`move reads the parents of the file again after a lost response, ${kind}`, async () => {
      fixture.drive.faults.add({ kind: 'lostResponse', match: { method: 'PATCH' } });
      await move();
      methods().should.equal('GET PATCH GET PATCH');
      const [first, second] = fixture.drive.requests.to('PATCH');
      should(first?.query).match(new RegExp(`removeParents=${from}`));
      should(second?.query).not.match(/removeParents/);
    });

    for (const [how, method, ifExists] of [
      ['move', 'PATCH', 'duplicate'],
      ['move', 'PATCH', 'rename'],
      ['copy', 'POST', 'duplicate'],
    ] as const) {
      it(`${how} with ${ifExists} spends one retry budget on all its requests, ${kind}`, async () => {
        const { clock, client } = fixture;
        const unavailable = { kind: 'error', reason: 'backendError', times: Infinity } as const;
        const fault = fixture.drive.faults.add({
          ...unavailable,
          match: { method: 'GET', path: /\/files\/./ },
        });
        fixture.drive.faults.add({ ...unavailable, match: { method } });
        const start = clock.monotonic();
        clock.onSleep = (ms) => {
          if (clock.monotonic() + ms - start > 30_000) fault.remove();
        };
        await rejected(client[how]({ ...request({ ifExists }), restore: false }), 'service_unavailable');
        fixture.drive.requests.to(method).should.not.be.empty();
        (clock.monotonic() - start).should.be.within(30_000, 61_000);
      });
    }

    it(`copy doesn’t repeat the request for a Workspace document, whose id the service assigns, ${kind}`, async () => {
      const mimeType = 'application/vnd.google-apps.document';
      const document = await fixture.drive.files.add({ name: 'doc', parent: from, mimeType });
      (await copy({ id: document })).created.should.be.true();
      fixture.drive.faults.add({ kind: 'lostResponse', match: { method: 'POST' } });
      await rejected(copy({ id: document, name: 'second' }), 'network');
      names(to).should.deepEqual(['doc', 'second']);
    });

    it(`move and copy send supportsAllDrives to the Google preset only, ${kind}`, async () => {
      await move({ ifExists: 'error' });
      await copy({ folderId: from });
      const flags = fixture.drive.requests.all
        .filter(({ path }) => !path.endsWith('generateIds'))
        .map(({ query }) => query.includes('supportsAllDrives=true'));
      new Set(flags).should.deepEqual(new Set([kind === 'google']));
    });
  });
}

for (const kind of ['google', 'custom'] as const) {
  describe(`moves to a root of unknown id, ${kind} service`, () => {
    const fixture = driveFixture({}, { service: { can: CAPABILITIES[kind] } });
    let counter = 0;
    let name: string;

    beforeEach(() => {
      name = `a ${++counter}.txt`;
      fixture.drive.faults.add({
        kind: 'error',
        reason: 'notFound',
        match: { path: /\/files\/root$/ },
        times: 99,
      });
    });

    const move = (id: string, more: object = {}) =>
      fixture.client.move({
        ...{
          id,
          folderId: 'root',
          name: '',
          ifExists: 'duplicate',
          restore: false,
          fields: 'id,name,parents',
        },
        ...more,
      });
    const lastUpdateQuery = (): string => fixture.drive.requests.to('PATCH').at(-1)?.query ?? '';

    it(`move changes no parents if the file is already in the root, ${kind}`, async () => {
      const id = await fixture.drive.files.add({ name, content: 'x' });
      const { file } = await move(id, { name: 'b.txt' });
      should(file).containEql({ name: 'b.txt', parents: [fixture.drive.files.rootId] });
      lastUpdateQuery().should.not.match(/Parents/);
    });

    it(`move infers the id of the root only once, ${kind}`, async () => {
      const first = await fixture.drive.files.add({ name, content: 'x' });
      await move(first);
      fixture.drive.requests.clear();
      const second = await fixture.drive.files.add({ name: 'second', content: 'x' });
      await move(second);
      fixture.drive.requests.all.map(({ method }) => method).should.eql(['GET', 'PATCH']);
      lastUpdateQuery().should.not.match(/Parents/);
    });

    it(`move infers the id of the root again if another user has signed in meanwhile, ${kind}`, async () => {
      const { reached, release } = holdRequest(fixture.drive, { path: /\/files$/ });
      const first = move(await fixture.drive.files.add({ name, content: 'x' }));
      await reached;
      fixture.client.forgetUser();
      release();
      await first;
      fixture.drive.requests.clear();
      await move(await fixture.drive.files.add({ name: 'second', content: 'x' }));
      fixture.drive.requests.to('GET', /\/files$/).should.have.length(1);
    });

    it(`move moves a file to the root, even if the root has a file of that name, ${kind}`, async () => {
      await fixture.drive.files.add({ name, content: 'another' });
      const folder = await fixture.drive.files.addFolder('from');
      const id = await fixture.drive.files.add({ name, parent: folder, content: 'x' });
      const { file } = await move(id);
      should(file.parents).eql([fixture.drive.files.rootId]);
      lastUpdateQuery()
        .should.match(/addParents=root/)
        .and.match(new RegExp(`removeParents=${folder}`));
    });

    it(`move restores a trashed file in the root, ${kind}`, async () => {
      const id = await fixture.drive.files.add({ name, content: 'x', trashed: true });
      const { file } = await move(id, { restore: true });
      should(file.parents).eql([fixture.drive.files.rootId]);
      should(fixture.drive.files.find(id)?.trashed).equal(false);
      lastUpdateQuery().should.not.match(/Parents/);
    });
  });
}

describe('move and copy with replace', () => {
  const fixture = driveFixture();

  for (const [how, nth] of [
    ['copy', 1],
    ['move', 2],
  ] as const) {
    it(`${how} succeeds if another client deletes the replaced file permanently meanwhile`, async () => {
      const to = await fixture.drive.files.addFolder(`to ${how}`);
      const id = await fixture.drive.files.add({ name: 'a.txt', content: 'source' });
      const other = await fixture.drive.files.add({ name: 'a.txt', parent: to, content: 'other' });
      const until = () => fixture.client.delete(other);
      fixture.drive.faults.add({ kind: 'delay', match: { method: 'PATCH', nth }, until });
      const request = { id, folderId: to, name: '', ifExists: 'replace', fields: 'id' } as const;
      const { skipped } = await fixture.client[how]({ ...request, restore: false });
      should(skipped).equal(false);
      fixture.drive.files.in(to).should.have.length(1);
      should(fixture.drive.files.find(other)).equal(undefined);
    });
  }
});
