/** Uploads in one request. https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import 'should';
import { shouldBeError, useDrive } from './drive-fixture';

const UPLOAD = '/upload/drive/v3/files';
const FIELDS = 'id,name,mimeType,size,md5Checksum,parents,originalFilename';

describe('local drive: uploads in one request', () => {
  const service = useDrive();
  const blobs = () => readdirSync(join(service.drive.dataDir, 'content')).length;

  const multipart = (body: string | Buffer, query: Record<string, string> = {}, type = 'boundary=b') =>
    service.call('POST', UPLOAD, {
      query: { uploadType: 'multipart', fields: FIELDS, ...query },
      body,
      headers: { 'Content-Type': `multipart/related; ${type}` },
    });
  const compose = (metadata: object, content: string, headers = 'Content-Type: text/csv', line = '\r\n') =>
    [
      `--b${line}Content-Type: application/json; charset=UTF-8${line}${line}${JSON.stringify(metadata)}`,
      `--b${line}${headers}${line}${line}${content}`,
      `--b--${line}`,
    ].join(line);

  it('a multipart upload has metadata and content', async () => {
    const folder = await service.drive.files.addFolder('in');
    const response = await multipart(compose({ name: 'a.csv', parents: [folder] }, '1,2\r\n3,4'));
    response.status.should.equal(200, response.text);
    const file = response.json;
    file.should.have.properties({
      name: 'a.csv',
      mimeType: 'text/csv',
      size: '8',
      parents: [folder],
      originalFilename: 'a.csv',
    });
    (await service.drive.files.contentOf(file.id)).toString().should.equal('1,2\r\n3,4');
  });

  it('a multipart upload may have bare line feeds, base64, a quoted boundary and content without a type', async () => {
    const bare = (await multipart(compose({ name: 'lf' }, 'x\r\ny\r', undefined, '\n'))).json;
    (await service.drive.files.contentOf(bare.id)).toString().should.equal('x\r\ny\r');
    const bytes = randomBytes(1000);
    const text = bytes.toString('base64').replace(/.{76}/g, '$&\r\n');
    const headers = 'Content-Type: image/png\r\nContent-Transfer-Encoding: base64';
    const encoded = (await multipart(compose({ name: 'b64' }, text, headers), {}, 'boundary="b"')).json;
    (await service.drive.files.contentOf(encoded.id)).equals(bytes).should.be.true();
    const untyped = (await multipart(compose({ name: 'page.html' }, '<p>', 'X-Nothing: y'))).json;
    untyped.mimeType.should.equal('text/html');
  });

  it('a multipart upload may have empty content and no name', async () => {
    const file = (await multipart(compose({}, ''))).json;
    file.should.have.properties({
      name: 'Untitled',
      size: '0',
      md5Checksum: 'd41d8cd98f00b204e9800998ecf8427e',
    });
  });

  for (const [what, body, type] of [
    ['a body that ends too early', '--b\r\n\r\n{}\r\n--b\r\n\r\nhalf', 'boundary=b'],
    ['only one part', '--b\r\n\r\n{}\r\n--b--', 'boundary=b'],
    ['three parts', '--b\r\n\r\n{}\r\n--b\r\n\r\n1\r\n--b\r\n\r\n2\r\n--b--', 'boundary=b'],
    ['another boundary', '--b\r\n\r\n{}\r\n--b--', 'boundary=c'],
    ['no boundary', 'x', 'type=x'],
    ['an unknown encoding', '--b\r\nContent-Transfer-Encoding: 9bit\r\n\r\n{}\r\n--b--', 'boundary=b'],
  ] as const) {
    it(`a multipart upload with ${what} is rejected and leaves no content`, async () => {
      const before = blobs();
      shouldBeError(await multipart(body, {}, type), 400, 'badRequest');
      blobs().should.equal(before);
    });
  }

  it('invalid uploads are rejected without storing content', async () => {
    const before = blobs();
    shouldBeError(await multipart(compose({ parents: ['gone'] }, 'x')), 404, 'notFound');
    shouldBeError(await multipart(compose({}, 'x'), { fields: 'nope' }), 400, 'invalidParameter');
    const folder = { mimeType: 'application/vnd.google-apps.folder' };
    shouldBeError(await multipart(compose(folder, 'x')), 400, 'invalid');
    shouldBeError(await multipart(compose({}, 'x'), { uploadType: 'other' }), 400, 'badRequest');
    blobs().should.equal(before);
  });

  it('a media upload has content only', async () => {
    const response = await service.call('POST', `${UPLOAD}?uploadType=media&fields=name,mimeType,size`, {
      body: 'abc',
      headers: { 'Content-Type': 'text/x-thing' },
    });
    response.json.should.deepEqual({ name: 'Untitled', mimeType: 'text/x-thing', size: '3' });
  });

  it('uploads replace the content of a file, with or without metadata', async () => {
    const id = await service.drive.files.add({ name: 'keep', content: 'old' });
    const before = blobs();
    const media = await service.call(
      'PATCH',
      `${UPLOAD}/${id}?uploadType=media&fields=id,name,size,version`,
      {
        body: 'newer',
      },
    );
    media.json.should.deepEqual({ id, name: 'keep', size: '5', version: '2' });
    const both = await service.call('PATCH', `${UPLOAD}/${id}?uploadType=multipart&fields=id,name,size`, {
      body: compose({ name: 'renamed' }, 'newest'),
      headers: { 'Content-Type': 'multipart/related; boundary=b' },
    });
    both.json.should.deepEqual({ id, name: 'renamed', size: '6' });
    (await service.drive.files.contentOf(id)).toString().should.equal('newest');
    blobs().should.equal(before);
    const gone = await service.call('PATCH', `${UPLOAD}/gone?uploadType=media`, { body: 'x' });
    shouldBeError(gone, 404, 'notFound');
  });

  it('checksums of large uploads are returned', async () => {
    const bytes = randomBytes(5 * 1024 * 1024);
    const { createHash } = await import('node:crypto');
    const response = await service.call(
      'POST',
      `${UPLOAD}?uploadType=media&fields=md5Checksum,sha256Checksum,sha1Checksum`,
      {
        body: bytes,
      },
    );
    response.json.should.deepEqual({
      md5Checksum: createHash('md5').update(bytes).digest('hex'),
      sha1Checksum: createHash('sha1').update(bytes).digest('hex'),
      sha256Checksum: createHash('sha256').update(bytes).digest('hex'),
    });
  });
});
