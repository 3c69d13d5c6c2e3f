/** Uploads in a session. https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
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
    const answer = await service.call('POST', UPLOAD, {
      query: { uploadType: 'resumable', fields: 'id,name,size,md5Checksum,mimeType' },
      json: { name: 'big' },
      ...options,
    });
    answer.status.should.equal(200, answer.text);
    answer.bytes.should.have.length(0);
    return String(answer.headers.get('location'));
  };
  const put = (address: string, range: string, body?: Buffer, method = 'PUT') =>
    service.call(method, address, { body, headers: { 'Content-Range': `bytes ${range}` } });
  const chunk = (address: string, from: number, to: number, total: number | '*' = TOTAL, method = 'PUT') =>
    put(address, `${from}-${to - 1}/${total}`, BYTES.subarray(from, to), method);
  const shouldHold = (answer: TestResponse, stored: number): void => {
    answer.status.should.equal(308, answer.text);
    String(answer.headers.get('range')).should.equal(stored === 0 ? 'null' : `bytes=0-${stored - 1}`);
  };
  const shouldBeDone = async (answer: TestResponse, bytes = BYTES): Promise<void> => {
    answer.status.should.equal(200, answer.text);
    const file = answer.json;
    file.should.have.properties({
      name: 'big',
      size: String(bytes.length),
      md5Checksum: createHash('md5').update(bytes).digest('hex'),
    });
    (await service.drive.files.contentOf(file.id)).equals(bytes).should.be.true();
  };
  /** Sends part of a body, then breaks the connection once the service has taken it all. */
  const cutAfter = async (address: string, from: number, to: number): Promise<void> => {
    const { requests } = service.drive;
    const request = httpRequest(address, {
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

  it('gives an address under /upload that is a key', async () => {
    const address = await start();
    const { pathname, searchParams } = new URL(address);
    pathname.should.equal(UPLOAD);
    String(searchParams.get('upload_id')).length.should.be.above(40);
    const bare = await service.call('PUT', address, { body: BYTES, token: '' });
    bare.status.should.equal(200);
    shouldBeError(await service.call('PUT', await start(), { body: BYTES, token: 'old' }), 401, 'authError');
  });

  it('takes the whole in one PUT, and answers the same when asked again', async () => {
    const address = await start({
      headers: { 'X-Upload-Content-Type': 'a/b', 'X-Upload-Content-Length': String(TOTAL) },
    });
    const answer = await service.call('PUT', address, { body: BYTES });
    await shouldBeDone(answer);
    answer.json.mimeType.should.equal('a/b');
    const again = await put(address, `*/${TOTAL}`);
    again.status.should.equal(200);
    again.json.should.deepEqual(answer.json);
  });

  for (const method of ['PUT', 'POST']) {
    it(`takes chunks by ${method}, saying after each what is stored`, async () => {
      const address = await start();
      shouldHold(await put(address, `*/${TOTAL}`, undefined, method), 0);
      shouldHold(await chunk(address, 0, UNIT, TOTAL, method), UNIT);
      shouldHold(await chunk(address, UNIT, 2 * UNIT, TOTAL, method), 2 * UNIT);
      shouldHold(await put(address, '*/*', undefined, method), 2 * UNIT);
      await shouldBeDone(await chunk(address, 2 * UNIT, TOTAL, TOTAL, method));
    });
  }

  it('takes chunks while the total is not known', async () => {
    const address = await start();
    shouldHold(await chunk(address, 0, UNIT, '*'), UNIT);
    await shouldBeDone(await chunk(address, UNIT, TOTAL, TOTAL));
    const rounded = await start();
    shouldHold(await chunk(rounded, 0, 2 * UNIT, '*'), 2 * UNIT);
    await shouldBeDone(await put(rounded, `*/${2 * UNIT}`), BYTES.subarray(0, 2 * UNIT));
  });

  it('takes an empty file', async () => {
    const address = await start({ headers: { 'X-Upload-Content-Length': '0' } });
    await shouldBeDone(await service.call('PUT', address), Buffer.alloc(0));
  });

  it('wants multiples of 256 KiB for all chunks but the last', async () => {
    const address = await start();
    shouldBeError(await chunk(address, 0, UNIT - 1), 400, 'badRequest');
    shouldBeError(await chunk(address, 0, UNIT + 1, '*'), 400, 'badRequest');
    shouldHold(await put(address, '*/*'), 0);
  });

  it('skips what it has, and stores nothing behind a gap', async () => {
    const address = await start();
    shouldHold(await chunk(address, UNIT, 2 * UNIT), 0);
    shouldHold(await chunk(address, 0, UNIT), UNIT);
    shouldHold(await chunk(address, 0, UNIT), UNIT);
    await shouldBeDone(await chunk(address, 0, TOTAL));
  });

  it('refuses ranges that contradict the body, the total or themselves', async () => {
    const address = await start({ headers: { 'X-Upload-Content-Length': String(TOTAL) } });
    for (const [range, body] of [
      [`0-${UNIT - 1}/${TOTAL + 1}`, BYTES.subarray(0, UNIT)],
      [`0-${UNIT - 1}/${TOTAL}`, BYTES.subarray(0, UNIT - 1)],
      [`5-4/${TOTAL}`, BYTES.subarray(0, 1)],
      [`0-${TOTAL}/${TOTAL}`, BYTES],
      ['nonsense', BYTES],
      [`*/${TOTAL + 1}`, undefined],
      ['*/*', BYTES],
    ] as [string, Buffer | undefined][]) {
      shouldBeError(await put(address, range, body), 400, 'badRequest');
    }
    shouldHold(await put(address, '*/*'), 0);
    const long = await service.call('PUT', address, { body: Buffer.concat([BYTES, BYTES]) });
    shouldBeError(long, 400, 'badRequest');
  });

  it('keeps what arrived when the connection breaks in the middle', async () => {
    const address = await start();
    await cutAfter(address, 0, 300_001);
    shouldHold(await put(address, `*/${TOTAL}`), 300_001);
    await cutAfter(address, 300_001, 300_002);
    shouldHold(await put(address, `*/${TOTAL}`), 300_002);
    await shouldBeDone(await chunk(address, 300_002, TOTAL));
  });

  it('lives for a week', async () => {
    const address = await start();
    clock.advance(WEEK);
    shouldHold(await put(address, '*/*'), 0);
    clock.advance(1);
    shouldBeError(await put(address, '*/*'), 410, 'gone');
    shouldBeError(await put(address, '*/*'), 404, 'notFound');
    shouldBeError(await put(`${UPLOAD}?upload_id=..%2Foauth`, '*/*'), 404, 'notFound');
    shouldBeError(await put(UPLOAD, '*/*'), 404, 'notFound');
  });

  it('replaces the content of a file', async () => {
    const id = await service.drive.files.add({ name: 'old name', content: 'old' });
    const answer = await service.call(
      'PATCH',
      `${UPLOAD}/${id}?uploadType=resumable&fields=id,name,size,md5Checksum`,
      {
        json: { name: 'big' },
      },
    );
    const address = String(answer.headers.get('location'));
    new URL(address).pathname.should.equal(`${UPLOAD}/${id}`);
    const done = await service.call('PUT', address, { body: BYTES });
    await shouldBeDone(done);
    done.json.id.should.equal(id);
  });

  it('refuses a start that could not end well', async () => {
    const begin = (json: object, query: object = {}) =>
      service.call('POST', UPLOAD, { query: { uploadType: 'resumable', ...query }, json });
    shouldBeError(await begin({ parents: ['gone'] }), 404, 'notFound');
    shouldBeError(await begin({}, { fields: 'nope' }), 400, 'invalidParameter');
    const sized = { json: {}, headers: { 'X-Upload-Content-Length': 'many' } };
    shouldBeError(await service.call('POST', `${UPLOAD}?uploadType=resumable`, sized), 400, 'badRequest');
  });

  it('survives a restart of the service', async () => {
    const dataDir = await temporaryFolder();
    let drive = await startLocalDrive({ token: TOKEN, dataDir });
    const begun = await call(drive.url, 'POST', `${UPLOAD}?uploadType=resumable`, { json: { name: 'big' } });
    const path = new URL(String(begun.headers.get('location')));
    const send = (from: number, to: number) =>
      call(drive.url, 'PUT', path.pathname + path.search, {
        body: BYTES.subarray(from, to),
        headers: { 'Content-Range': `bytes ${from}-${to - 1}/${TOTAL}` },
      });
    shouldHold(await send(0, UNIT), UNIT);
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
