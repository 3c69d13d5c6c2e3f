/** Shared drives: https://developers.google.com/workspace/drive/api/reference/rest/v3/drives */
import should from 'should';
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import { useScriptedService } from '../../support/http/scripted-service';

describe('shared drives', () => {
  describe('shared drives of the local drive', () => {
    const fixture = driveFixture();

    it('250 shared drives are listed in pages of 100, and found by a part of their name', async () => {
      for (let index = 0; index < 250; index++) await fixture.drive.files.addSharedDrive(`Team ${index}`);
      const names: string[] = [];
      let pageToken: string | undefined;
      do {
        const page = await fixture.client.listSharedDrives({ text: '', pageToken });
        page.drives.length.should.be.belowOrEqual(100);
        names.push(...page.drives.map(({ name }) => name));
        pageToken = page.nextPageToken;
      } while (pageToken !== undefined);
      names.should.eql(Array.from({ length: 250 }, (_, index) => `Team ${index}`));
      const id = await fixture.drive.files.addSharedDrive("Anna's \\ plans");
      should(await fixture.client.listSharedDrives({ text: "'s \\" })).containDeep({
        drives: [{ id, name: "Anna's \\ plans" }],
      });
      fixture.drive.requests.to('GET', /\/drives$/).length.should.equal(4);
    });

    it('a shared drive has a name, and an unknown one is not_found', async () => {
      const id = await fixture.drive.files.addSharedDrive('Named');
      should(await fixture.client.getSharedDrive(id)).eql({ id, name: 'Named' });
      await rejected(fixture.client.getSharedDrive('none'), 'not_found');
    });

    it('the request for shared drives is repeated when the rate limit is exceeded', async () => {
      fixture.drive.faults.add({ kind: 'error', reason: 'rateLimitExceeded', match: { path: /\/drives$/ } });
      fixture.drive.requests.clear();
      await fixture.client.listSharedDrives({ text: 'Named' });
      fixture.drive.requests.to('GET', /\/drives$/).length.should.equal(2);
    });

    it('one search page of a shared drive contains no files of other drives', async () => {
      const [one, two] = [
        await fixture.drive.files.addSharedDrive('One'),
        await fixture.drive.files.addSharedDrive('Two'),
      ];
      for (const parent of [one, two, undefined])
        await fixture.drive.files.add({ name: 'needle.txt', content: '', ...(parent ? { parent } : {}) });
      const request = { text: 'needle', kind: 'any', includeTrashed: false, pageSize: 10 } as const;
      const { files } = await fixture.client.searchPage({ ...request, driveId: two, fields: 'id,parents' });
      files.map(({ parents }) => parents).should.eql([[two]]);
    });
  });

  describe('shared drives in arbitrary responses', () => {
    const service = useScriptedService();
    let testClient: TestClient;

    beforeEach(() => (testClient = createTestClient(service.url)));

    it('a response without its empty list of shared drives is accepted', async () => {
      service.onRequest(() => ({ body: {} }));
      should((await testClient.client.listSharedDrives({ text: '' })).drives).eql([]);
    });

    for (const body of [
      { drives: {} },
      { drives: [{ name: 'no id' }] },
      { drives: [{ id: '1', name: 2 }] },
      { drives: [], nextPageToken: 5 },
    ]) {
      it(`the malformed list of shared drives ${JSON.stringify(body)} is bad_response`, async () => {
        service.onRequest(() => ({ body }));
        await rejected(testClient.client.listSharedDrives({ text: '' }), 'bad_response');
      });
    }
  });
});
