/**
 * The metadata of an upload, with its MIME type: RFC 9110 8.3.1.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
import { utimes } from 'node:fs/promises';
import should from 'should';
import { rejected } from '../../../support/client/rejected';
import { uploadFixture } from '../../../support/client/upload-fixture';
import 'should';
import { driveFixture } from '../../../support/client/drive-fixture';

describe('upload metadata', () => {
  const fixture = uploadFixture();

  it('sends id, name, parent, modification time and the user’s properties', async () => {
    const path = await fixture.onDisk('x');
    await utimes(path, 1_500_000_000, 1_500_000_000);
    const metadata = { description: 'é', id: 'no', name: 'no', parents: ['no'] };
    const name = "it's \\ a\n😀 name";
    await fixture.upload({ path }, { name, folderId: 'F', metadata, keepModifiedTime: true });
    const file = fixture.onlyFile();
    file.metadata.should.deepEqual({
      id: file.id,
      name,
      parents: ['F'],
      description: 'é',
      mimeType: 'application/octet-stream',
      modifiedTime: '2017-07-14T02:40:00.000Z',
    });
    file.id.should.startWith('id-');
  });

  it('sends no modification time if keepModifiedTime is off, or for data from memory', async () => {
    await fixture.upload({ path: await fixture.onDisk('x') }, { keepModifiedTime: false });
    await fixture.upload({ data: 'x' }, { keepModifiedTime: true });
    fixture.service.files.map(({ metadata }) => 'modifiedTime' in metadata).should.deepEqual([false, false]);
  });

  it('sends no parent for the root of My Drive, and the drive’s id for the root of a shared drive', async () => {
    await fixture.upload({ data: 'x' });
    should(fixture.onlyFile().metadata['parents']).be.undefined();
    fixture.restart({ service: { driveId: 'D' } });
    await fixture.upload({ data: 'x' });
    should(fixture.service.files[1]?.metadata['parents']).deepEqual(['D']);
  });

  it('chooses the MIME type by the property, the name or the content, in this order', async () => {
    const types = [
      [{ mimeType: 'text/csv; charset=utf-8', metadata: { mimeType: 'a/b' } }, 'text/csv; charset=utf-8'],
      [{ mimeType: 'a/b;c=d ; e="f; g"' }, 'a/b;c=d ; e="f; g"'],
      [{ name: 'photo.JPG' }, 'image/jpeg'],
      [{ name: 'notes' }, 'text/plain'],
      [{ name: 'csv', content: { data: 'a,b' } }, 'text/plain'],
      [{ name: 'notes', content: { data: Buffer.from('x') } }, 'application/octet-stream'],
    ] as const;
    for (const [more, expected] of types) {
      await fixture.upload({ data: 'x' }, more);
      fixture.service.files.at(-1)?.mimeType.should.equal(expected);
    }
  });

  it('rejects an empty name and an invalid MIME type before anything is sent', async () => {
    const withLineBreaks = ['a/b\r\nX: y', 'X: y\r\na/b', 'a/b; c="\n"', 'a/b; c=d\n'];
    for (const mimeType of [
      'text',
      ...withLineBreaks,
      'ä/b',
      ' a/b',
      'a/b ',
      'a/b;',
      'a/b; c',
      'a/b; c=',
      'a/b; c="d',
    ]) {
      await rejected(fixture.upload({ data: 'x' }, { mimeType }), 'invalid_input', 'invalid_input_mime_type');
    }
    await rejected(fixture.upload({ data: 'x' }, { name: '' }), 'invalid_input', 'invalid_input_empty_name');
    fixture.service.server.requests.should.be.empty();
  });
});

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
