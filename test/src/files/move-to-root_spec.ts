/** The root may be known by its alias alone. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update */
import should from 'should';
import { driveFixture } from '../../support/client/drive-fixture';

for (const kind of ['google', 'custom'] as const) {
  describe(`a move to the root where nobody says which folder that is, ${kind}`, () => {
    const at = driveFixture({}, { service: { kind } });
    let unique = 0;
    let name: string;

    beforeEach(() => {
      name = `a ${++unique}.txt`;
      at.drive.faults.add({
        kind: 'error',
        reason: 'notFound',
        match: { path: /\/files\/root$/ },
        times: 99,
      });
    });

    const move = (id: string, more: object = {}) =>
      at.client.move({
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
    const moved = (): string => at.drive.requests.to('PATCH').at(-1)?.query ?? '';

    it('leaves a file where it is that is there already', async () => {
      const id = await at.drive.files.add({ name, content: 'x' });
      const { file } = await move(id, { name: 'b.txt' });
      should(file).containEql({ name: 'b.txt', parents: [at.drive.files.rootId] });
      moved().should.not.match(/Parents/);
    });

    it('finds it out once', async () => {
      const first = await at.drive.files.add({ name, content: 'x' });
      await move(first);
      at.drive.requests.clear();
      const second = await at.drive.files.add({ name: 'second', content: 'x' });
      await move(second);
      at.drive.requests.all.map(({ method }) => method).should.eql(['GET', 'PATCH']);
      moved().should.not.match(/Parents/);
    });

    it('moves a file from elsewhere, also where one of its name is in the root', async () => {
      await at.drive.files.add({ name, content: 'another' });
      const folder = await at.drive.files.addFolder('from');
      const id = await at.drive.files.add({ name, parent: folder, content: 'x' });
      const { file } = await move(id);
      should(file.parents).eql([at.drive.files.rootId]);
      moved()
        .should.match(/addParents=root/)
        .and.match(new RegExp(`removeParents=${folder}`));
    });

    it('takes a file out of the trash to there', async () => {
      const id = await at.drive.files.add({ name, content: 'x', trashed: true });
      const { file } = await move(id, { restore: true });
      should(file.parents).eql([at.drive.files.rootId]);
      should(at.drive.files.find(id)?.trashed).equal(false);
      moved().should.not.match(/Parents/);
    });
  });
}
