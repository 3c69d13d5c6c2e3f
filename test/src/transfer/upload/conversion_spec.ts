import 'should';
import { driveFixture } from '../../../support/client/drive-fixture';
import { rejected } from '../../../support/client/rejected';

describe('conversion of uploads', () => {
  const fixture = driveFixture();

  it('Of uploads that wait for the same list of formats, only the one that is cancelled fails', async () => {
    const controller = new AbortController();
    const upload = (signal?: AbortSignal) =>
      fixture.client.upload(
        {
          content: { data: 'day,value\n' },
          name: 'a.csv',
          folderId: '',
          mimeType: '',
          convertTo: 'spreadsheet',
          keepModifiedTime: false,
          metadata: {},
          ifExists: 'duplicate',
          fields: 'id,mimeType',
        },
        { signal },
      );
    const until = (): Promise<void> => Promise.resolve(controller.abort());
    fixture.drive.faults.add({ kind: 'delay', until, match: { path: /about/ } });
    const cancelled = rejected(upload(controller.signal), 'cancelled');
    (await upload()).file.should.have.property('mimeType', 'application/vnd.google-apps.spreadsheet');
    await cancelled;
    fixture.drive.requests.to('GET', '/drive/v3/about').should.have.length(1);
  });
});
