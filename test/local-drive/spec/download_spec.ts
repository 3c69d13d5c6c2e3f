/**
 * Content, whole and in ranges (RFC 9110 section 14).
 * https://developers.google.com/workspace/drive/api/guides/manage-downloads
 */
import 'should';
import { shouldBeError, TOKEN, useDrive } from './drive-fixture';

describe('local drive: downloads', () => {
  const service = useDrive();
  let id = '';
  before(async () => {
    id = await service.drive.files.add({ name: 'a.txt', content: '0123456789' });
  });
  const media = (file: string, range?: string, query: Record<string, string> = {}) =>
    service.call('GET', `/drive/v3/files/${file}`, {
      query: { alt: 'media', ...query },
      headers: range === undefined ? {} : { Range: range },
    });

  it('alt=media returns the content with its type and length', async () => {
    const response = await media(id);
    response.status.should.equal(200);
    response.text.should.equal('0123456789');
    String(response.headers.get('content-type')).should.equal('text/plain');
    String(response.headers.get('content-length')).should.equal('10');
  });

  for (const [range, content, part] of [
    ['bytes=0-0', '0', '0-0'],
    ['bytes=3-5', '345', '3-5'],
    ['bytes=7-', '789', '7-9'],
    ['bytes=7-100', '789', '7-9'],
    ['bytes=-4', '6789', '6-9'],
    ['bytes=-40', '0123456789', '0-9'],
  ] as const) {
    it(`Range: ${range} returns ${part}`, async () => {
      const response = await media(id, range);
      response.status.should.equal(206);
      response.text.should.equal(content);
      String(response.headers.get('content-range')).should.equal(`bytes ${part}/10`);
      String(response.headers.get('content-length')).should.equal(String(content.length));
    });
  }

  for (const range of ['bytes=5-4', 'bytes=-', 'lines=0-1', 'bytes=0-1,3-4']) {
    it(`Range: ${range} is ignored`, async () => {
      const response = await media(id, range);
      response.status.should.equal(200);
      response.text.should.equal('0123456789');
    });
  }

  it('a range past the end, or any range of an empty file, is 416', async () => {
    const empty = await service.drive.files.add({ name: 'empty' });
    (await media(empty)).bytes.should.have.length(0);
    for (const [file, range, size] of [
      [id, 'bytes=10-', 10],
      [id, 'bytes=99-100', 10],
      [empty, 'bytes=0-', 0],
      [empty, 'bytes=-1', 0],
    ] as const) {
      const response = await media(file, range);
      shouldBeError(response, 416, 'requestedRangeNotSatisfiable');
      String(response.headers.get('content-range')).should.equal(`bytes */${size}`);
    }
  });

  it('alt=media rejects folders, missing files and missing tokens', async () => {
    shouldBeError(await media('root'), 403, 'fileNotDownloadable');
    shouldBeError(await media('gone'), 404, 'notFound');
    shouldBeError(
      await service.call('GET', `/drive/v3/files/${id}?alt=media`, { token: '' }),
      401,
      'authError',
    );
  });

  it('flagged files are downloaded only with acknowledgeAbuse', async () => {
    const bad = await service.drive.files.add({ name: 'bad.exe', content: 'x', abusive: true });
    shouldBeError(await media(bad), 403, 'cannotDownloadAbusiveFile');
    (await media(bad, undefined, { acknowledgeAbuse: 'true' })).text.should.equal('x');
  });
});

describe('local drive: downloads from a second origin', () => {
  const service = useDrive({ redirectDownloads: true });

  it('alt=media redirects to a URL that needs no token and supports ranges', async () => {
    const id = await service.drive.files.add({ name: 'a', content: '0123456789' });
    const response = await service.call('GET', `/drive/v3/files/${id}?alt=media`);
    response.status.should.equal(302);
    const url = String(response.headers.get('location'));
    new URL(url).origin.should.not.equal(service.drive.url);
    const part = await service.call('GET', url, { token: '', headers: { Range: 'bytes=2-3' } });
    part.status.should.equal(206);
    part.text.should.equal('23');
    (await service.call('GET', url)).text.should.equal('0123456789');
    const origin = service.drive.downloadOrigin;
    (origin?.requests.all ?? [])
      .map(({ headers }) => headers.authorization)
      .should.deepEqual([undefined, `Bearer ${TOKEN}`]);
    shouldBeError(await service.call('GET', `${String(origin?.url)}/content/wrong`), 404, 'notFound');
  });
});

describe('local drive: pathPrefix', () => {
  const service = useDrive({ pathPrefix: '/some/proxy' });

  it('pathPrefix applies to all API paths, including session URLs', async () => {
    const path = '/some/proxy/upload/drive/v3/files?uploadType=resumable';
    const url = String((await service.call('POST', path)).headers.get('location'));
    new URL(url).pathname.should.equal('/some/proxy/upload/drive/v3/files');
    (await service.call('PUT', url, { body: 'x' })).status.should.equal(200);
    (await service.call('GET', '/some/proxy/drive/v3/files')).status.should.equal(200);
    (await service.call('GET', '/drive/v3/files')).status.should.equal(404);
  });
});
