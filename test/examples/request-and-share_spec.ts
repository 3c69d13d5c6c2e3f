/** The examples of drive request, file info and share, imported into a real Node-RED and run with the local drive. */
import should from 'should';
import { exampleFixture } from '../support/node-red/example-fixture';

describe('examples of requests and sharing', () => {
  const fixture = exampleFixture();

  it('request empties the trash of the shared drive whose ID is in the query', async () => {
    const driveId = await fixture.drive.files.addSharedDrive('Team');
    await fixture.drive.files.add({ name: 'old.txt', parent: driveId, trashed: true });
    await fixture.examples.deploy('request', fixture.drive.url, { 'ID of the shared drive': driveId });
    await fixture.examples.pressInject('request', 2);
    should((await fixture.examples.debugMessage('request', 'status')).payload).equal('');
    fixture.drive.files.in(driveId).should.be.empty();
  });

  it('request shows an error instead of emptying any trash while the ID is missing', async () => {
    await fixture.drive.files.add({ name: 'mine.txt', trashed: true });
    await fixture.examples.deploy('request', fixture.drive.url);
    await fixture.examples.pressInject('request', 2);
    const { error } = await fixture.examples.debugMessage('request', 'error');
    should(error).have.propertyByPath('cause', 'code').equal('not_found');
    fixture.drive.files
      .in('root')
      .map(({ name }) => name)
      .should.eql(['mine.txt']);
  });
});
