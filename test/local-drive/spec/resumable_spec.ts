/** Resumable uploads. https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import 'should';
import { startLocalDrive, TestClock } from '../index';
import {
  call,
  shouldBeError,
  temporaryFolder,
  TOKEN,
  useDrive,
  type TestResponse,
  type CallOptions,
} from './drive-fixture';

const UPLOAD = '/upload/drive/v3/files';
const UNIT = 256 * 1024;
const BYTES = randomBytes(2 * UNIT + 1000);
const TOTAL = BYTES.length;
const WEEK = 7 * 24 * 3600;

describe('local drive: resumable uploads', () => {
  const clock = new TestClock();
  const service = useDrive({ clock });

  const start = async (options: CallOptions = {}): Promise<string> => {
    const response = await service.call('POST', UPLOAD, {
      query: { uploadType: 'resumable', fields: 'id,name,size,md5Checksum,mimeType' },
      json: { name: 'big' },
      ...options,
    });
    response.status.should.equal(200, response.text);
    response.bytes.should.have.length(0);
    return String(response.headers.get('location'));
  };
  const put = (sessionUrl: string, range: string, body?: Buffer, method = 'PUT') =>
    service.call(method, sessionUrl, { body, headers: { 'Content-Range': `bytes ${range}` } });
  const chunk = (sessionUrl: string, from: number, to: number, total: number | '*' = TOTAL, method = 'PUT') =>
    put(sessionUrl, `${from}-${to - 1}/${total}`, BYTES.subarray(from, to), method);
  const shouldHaveStored = (response: TestResponse, stored: number): void => {
    response.status.should.equal(308, response.text);
    String(response.headers.get('range')).should.equal(stored === 0 ? 'null' : `bytes=0-${stored - 1}`);
  };
  const shouldBeDone = async (response: TestResponse, bytes = BYTES): Promise<void> => {
    response.status.should.equal(200, response.text);
    const file = response.json;
    file.should.have.properties({
      name: 'big',
      size: String(bytes.length),
      md5Checksum: createHash('md5').update(bytes).digest('hex'),
    });
    (await service.drive.files.contentOf(file.id)).equals(bytes).should.be.true();
  };
  /** Sends part of a body and closes the connection once the service has received it. */
  const cutAfter = async (sessionUrl: string, from: number, to: number): Promise<void> => {
    const { requests } = service.drive;
    const request = httpRequest(sessionUrl, {
      method: 'PUT',
      headers: {
        Authorization: `Bearer ${TOKEN}`,
        'Content-Length': TOTAL - from,
        'Content-Range': `bytes ${from}-${TOTAL - 1}/${TOTAL}`,
      },
    });
    request.on('error', () => undefined);
    const closed = new Promise((done) => request.once('close', done));
    const before = requests.all.length;
    request.write(BYTES.subarray(from, to));
    while ((requests.all[before]?.bytes ?? 0) < to - from) await new Promise((done) => setImmediate(done));
    request.destroy();
    await closed;
  };

  it('the session URL needs no token, but rejects a wrong one', async () => {
    const sessionUrl = await start();
    const { pathname, searchParams } = new URL(sessionUrl);
    pathname.should.equal(UPLOAD);
    String(searchParams.get('upload_id')).length.should.be.above(40);
    const bare = await service.call('PUT', sessionUrl, { body: BYTES, token: '' });
    bare.status.should.equal(200);
    shouldBeError(await service.call('PUT', await start(), { body: BYTES, token: 'old' }), 401, 'authError');
  });

  it('a resumable upload accepts the whole content in one PUT, and a later status query returns the same file', async () => {
    const sessionUrl = await start({
      headers: { 'X-Upload-Content-Type': 'a/b', 'X-Upload-Content-Length': String(TOTAL) },
    });
    const response = await service.call('PUT', sessionUrl, { body: BYTES });
    await shouldBeDone(response);
    response.json.mimeType.should.equal('a/b');
    const again = await put(sessionUrl, `*/${TOTAL}`);
    again.status.should.equal(200);
    again.json.should.deepEqual(response.json);
  });

  for (const method of ['PUT', 'POST']) {
    it(`a resumable upload accepts chunks by ${method} and returns the stored range`, async () => {
      const sessionUrl = await start();
      shouldHaveStored(await put(sessionUrl, `*/${TOTAL}`, undefined, method), 0);
      shouldHaveStored(await chunk(sessionUrl, 0, UNIT, TOTAL, method), UNIT);
      shouldHaveStored(await chunk(sessionUrl, UNIT, 2 * UNIT, TOTAL, method), 2 * UNIT);
      shouldHaveStored(await put(sessionUrl, '*/*', undefined, method), 2 * UNIT);
      await shouldBeDone(await chunk(sessionUrl, 2 * UNIT, TOTAL, TOTAL, method));
    });
  }

  it('a resumable upload accepts chunks with an unknown total', async () => {
    const sessionUrl = await start();
    shouldHaveStored(await chunk(sessionUrl, 0, UNIT, '*'), UNIT);
    await shouldBeDone(await chunk(sessionUrl, UNIT, TOTAL, TOTAL));
    const rounded = await start();
    shouldHaveStored(await chunk(rounded, 0, 2 * UNIT, '*'), 2 * UNIT);
    await shouldBeDone(await put(rounded, `*/${2 * UNIT}`), BYTES.subarray(0, 2 * UNIT));
  });

  it('a resumable upload accepts an empty file', async () => {
    const sessionUrl = await start({ headers: { 'X-Upload-Content-Length': '0' } });
    await shouldBeDone(await service.call('PUT', sessionUrl), Buffer.alloc(0));
  });

  it('all chunks except the last must be multiples of 256 KiB', async () => {
    const sessionUrl = await start();
    shouldBeError(await chunk(sessionUrl, 0, UNIT - 1), 400, 'badRequest');
    shouldBeError(await chunk(sessionUrl, 0, UNIT + 1, '*'), 400, 'badRequest');
    shouldHaveStored(await put(sessionUrl, '*/*'), 0);
  });

  it('a resumable upload skips stored bytes and stores nothing after a gap', async () => {
    const sessionUrl = await start();
    shouldHaveStored(await chunk(sessionUrl, UNIT, 2 * UNIT), 0);
    shouldHaveStored(await chunk(sessionUrl, 0, UNIT), UNIT);
    shouldHaveStored(await chunk(sessionUrl, 0, UNIT), UNIT);
    await shouldBeDone(await chunk(sessionUrl, 0, TOTAL));
  });

  it('a resumable upload rejects inconsistent ranges', async () => {
    const sessionUrl = await start({ headers: { 'X-Upload-Content-Length': String(TOTAL) } });
    for (const [range, body] of [
      [`0-${UNIT - 1}/${TOTAL + 1}`, BYTES.subarray(0, UNIT)],
      [`0-${UNIT - 1}/${TOTAL}`, BYTES.subarray(0, UNIT - 1)],
      [`5-4/${TOTAL}`, BYTES.subarray(0, 1)],
      [`0-${TOTAL}/${TOTAL}`, BYTES],
      ['nonsense', BYTES],
      [`*/${TOTAL + 1}`, undefined],
      ['*/*', BYTES],
    ] as [string, Buffer | undefined][]) {
      shouldBeError(await put(sessionUrl, range, body), 400, 'badRequest');
    }
    shouldHaveStored(await put(sessionUrl, '*/*'), 0);
    const long = await service.call('PUT', sessionUrl, { body: Buffer.concat([BYTES, BYTES]) });
    shouldBeError(long, 400, 'badRequest');
  });

  it('a resumable upload keeps the received bytes when the connection closes', async () => {
    const sessionUrl = await start();
    await cutAfter(sessionUrl, 0, 300_001);
    shouldHaveStored(await put(sessionUrl, `*/${TOTAL}`), 300_001);
    await cutAfter(sessionUrl, 300_001, 300_002);
    shouldHaveStored(await put(sessionUrl, `*/${TOTAL}`), 300_002);
    await shouldBeDone(await chunk(sessionUrl, 300_002, TOTAL));
  });

  it('an upload session expires after a week', async () => {
    const sessionUrl = await start();
    clock.advance(WEEK);
    shouldHaveStored(await put(sessionUrl, '*/*'), 0);
    clock.advance(1);
    shouldBeError(await put(sessionUrl, '*/*'), 410, 'gone');
    shouldBeError(await put(sessionUrl, '*/*'), 404, 'notFound');
    shouldBeError(await put(`${UPLOAD}?upload_id=..%2Foauth`, '*/*'), 404, 'notFound');
    shouldBeError(await put(UPLOAD, '*/*'), 404, 'notFound');
  });

  it('a resumable upload replaces the content of a file', async () => {
    const id = await service.drive.files.add({ name: 'old name', content: 'old' });
    const response = await service.call(
      'PATCH',
      `${UPLOAD}/${id}?uploadType=resumable&fields=id,name,size,md5Checksum`,
      {
        json: { name: 'big' },
      },
    );
    const sessionUrl = String(response.headers.get('location'));
    new URL(sessionUrl).pathname.should.equal(`${UPLOAD}/${id}`);
    const done = await service.call('PUT', sessionUrl, { body: BYTES });
    await shouldBeDone(done);
    done.json.id.should.equal(id);
  });

  it('starting an upload session with invalid metadata is rejected', async () => {
    const begin = (json: object, query: object = {}) =>
      service.call('POST', UPLOAD, { query: { uploadType: 'resumable', ...query }, json });
    shouldBeError(await begin({ parents: ['gone'] }), 404, 'notFound');
    shouldBeError(await begin({}, { fields: 'nope' }), 400, 'invalidParameter');
    const sized = { json: {}, headers: { 'X-Upload-Content-Length': 'many' } };
    shouldBeError(await service.call('POST', `${UPLOAD}?uploadType=resumable`, sized), 400, 'badRequest');
  });

  it('an upload session survives a restart of the service', async () => {
    const dataDir = await temporaryFolder();
    let drive = await startLocalDrive({ token: TOKEN, dataDir });
    const started = await call(drive.url, 'POST', `${UPLOAD}?uploadType=resumable`, {
      json: { name: 'big' },
    });
    const path = new URL(String(started.headers.get('location')));
    const send = (from: number, to: number) =>
      call(drive.url, 'PUT', path.pathname + path.search, {
        body: BYTES.subarray(from, to),
        headers: { 'Content-Range': `bytes ${from}-${to - 1}/${TOTAL}` },
      });
    shouldHaveStored(await send(0, UNIT), UNIT);
    await drive.close();
    drive = await startLocalDrive({ token: TOKEN, dataDir });
    try {
      const done = await send(UNIT, TOTAL);
      done.status.should.equal(200, done.text);
      const id = (done.json as { id: string }).id;
      (await drive.files.contentOf(id)).equals(BYTES).should.be.true();
    } finally {
      await drive.close();
    }
  });
});
