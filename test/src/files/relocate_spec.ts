/** What is replaced may be gone by then. https://developers.google.com/workspace/drive/api/guides/folder#move-files */
import should from 'should';
import { driveFixture } from '../../support/client/drive-fixture';

describe('a file that is replaced by one that is moved or copied', () => {
  const at = driveFixture();

  for (const [how, nth] of [
    ['copy', 1],
    ['move', 2],
  ] as const) {
    it(`may be taken away for ever by somebody else in that moment: ${how}`, async () => {
      const to = await at.drive.files.addFolder(`to ${how}`);
      const id = await at.drive.files.add({ name: 'a.txt', content: 'source' });
      const other = await at.drive.files.add({ name: 'a.txt', parent: to, content: 'other' });
      const until = () => at.client.delete(other);
      at.drive.faults.add({ kind: 'delay', match: { method: 'PATCH', nth }, until });
      const wanted = { id, folderId: to, name: '', ifExists: 'replace', fields: 'id' } as const;
      const { skipped } = await at.client[how]({ ...wanted, restore: false });
      should(skipped).equal(false);
      at.drive.files.in(to).should.have.length(1);
      should(at.drive.files.find(other)).equal(undefined);
    });
  }
});
