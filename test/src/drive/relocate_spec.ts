/** Moves and copies that replace a file: https://developers.google.com/workspace/drive/api/guides/folder#move-files */
import should from 'should';
import { driveFixture } from '../../support/client/drive-fixture';

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
