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

  it('request lists the revisions of a file and adds a comment', async () => {
    await fixture.drive.files.add({ name: 'report-42.txt', content: 'text' });
    await fixture.examples.deploy('request', fixture.drive.url);
    await fixture.examples.pressInject('request');
    const revisions = (await fixture.examples.debugMessage('request', 'revisions')).payload;
    should(revisions).have.length(1);
    should(revisions).match([{ id: /./, size: '4' }]);
    await fixture.examples.pressInject('request', 1);
    const { payload } = await fixture.examples.debugMessage('request', 'comment');
    should(payload).have.property('content', 'Checked by Node-RED');
  });

  it('file-info shows the metadata of a file, and changes it', async () => {
    await fixture.drive.files.add({ name: 'report-42.txt', content: 'text' });
    await fixture.examples.deploy('file-info', fixture.drive.url);
    await fixture.examples.pressInject('file-info');
    const { payload } = await fixture.examples.debugMessage('file-info', 'metadata');
    should(payload).match({ kind: 'drive#file', name: 'report-42.txt' });
    await fixture.examples.pressInject('file-info', 1);
    const changed = (await fixture.examples.debugMessage('file-info', 'changed')).payload;
    should(changed).match({
      description: 'Checked by Node-RED',
      starred: true,
      appProperties: { checked: /^20/ },
    });
  });

  it('share-report shares a report by link, prepares the email, and removes the link again', async () => {
    await fixture.examples.deploy('share-report', fixture.drive.url);
    for (const run of [1, 2]) {
      await fixture.examples.pressInject('share-report');
      const mail = await fixture.examples.debugMessage('share-report', 'email', run);
      should(mail).match({ to: 'ann@example.com', topic: /^New report: report-\d{4}-\d\d-\d\d\.txt$/ });
      should(mail.payload).match(/here is the new report: http\S+\/view/);
    }
    fixture.namesIn(fixture.idAt('Reports')).should.have.length(1);
    await fixture.examples.pressInject('share-report', 1);
    const { permissions } = await fixture.examples.debugMessage('share-report', 'who still has access');
    should(permissions).match([{ role: 'owner' }]);
  });

  it('request shows an error instead of emptying any trash while the ID is missing', async () => {
    await fixture.drive.files.add({ name: 'mine.txt', trashed: true });
    await fixture.examples.deploy('request', fixture.drive.url);
    await fixture.examples.pressInject('request', 2);
    const { error } = await fixture.examples.debugMessage('request', 'error');
    should(error).have.propertyByPath('cause', 'code').equal('not_found');
    fixture.drive.files.names('root').should.eql(['mine.txt']);
  });
});
