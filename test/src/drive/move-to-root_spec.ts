/** Moves to the root when its id can’t be requested: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { driveFixture } from '../../support/client/drive-fixture';
import { holdRequest } from '../../support/http/hold-request';

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
