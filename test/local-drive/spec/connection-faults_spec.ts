/** Connection faults; test/local-drive/README.md lists them. */
import { randomBytes } from 'node:crypto';
import 'should';
import type { Fault } from '../index';
import { shouldBeError, useDrive, type TestResponse } from './drive-fixture';

const UPLOAD = '/upload/drive/v3/files';

describe('local drive: connection faults', () => {
  const service = useDrive();
  const content = 'x'.repeat(1000);
  let id = '';
  before(async () => {
    id = await service.drive.files.add({ name: 'a', content });
  });
  afterEach(() => {
    service.drive.faults.clear();
  });

  const add = (fault: Fault) => service.drive.faults.add(fault);
  const list = () => service.call('GET', '/drive/v3/files');
  const media = () => service.call('GET', `/drive/v3/files/${id}?alt=media`);
  const shouldFail = (response: Promise<TestResponse>) => response.should.be.rejected();

  it('reset closes the connection before the request is handled', async () => {
    add({ kind: 'reset' });
    await shouldFail(service.call('POST', '/drive/v3/files', { json: { name: 'not made' } }));
    service.drive.files.names('root').should.not.containEql('not made');
  });

  it('lostResponse handles the request and closes the connection', async () => {
    add({ kind: 'lostResponse' });
    await shouldFail(service.call('POST', '/drive/v3/files', { json: { name: 'made' } }));
    service.drive.files.names('root').should.containEql('made');
  });

  it('resetResponse closes the connection within the response, or before its first byte', async () => {
    add({ kind: 'resetResponse', bytes: 400 });
    const response = await fetch(`${service.drive.url}/drive/v3/files/${id}?alt=media`, {
      headers: { Authorization: 'Bearer test-access-token' },
    });
    response.status.should.equal(200);
    let received = 0;
    const reading = (async () => {
      for await (const chunk of response.body ?? []) received += (chunk as Uint8Array).length;
    })();
    await reading.should.be.rejected();
    received.should.equal(400);
    add({ kind: 'resetResponse', bytes: 0 });
    await shouldFail(media());
    (await media()).text.should.equal(content);
  });

  it('truncate ends a response early without an error', async () => {
    for (const length of ['short', 'none'] as const) {
      add({ kind: 'truncate', bytes: 400, length });
      const response = await media();
      response.status.should.equal(200);
      response.bytes.should.have.length(400);
      String(response.headers.get('content-length')).should.equal(length === 'short' ? '400' : 'null');
    }
  });

  it('corrupt inverts one byte of a response', async () => {
    add({ kind: 'corrupt', at: 500 });
    const { bytes } = await media();
    bytes.should.have.length(1000);
    [...bytes].filter((byte) => byte !== 120).should.have.length(1);
    (bytes[500] ?? 120).should.not.equal(120);
  });

  it('corruptStored inverts one stored byte of any kind of upload', async () => {
    const type = { 'Content-Type': 'multipart/related; boundary=b' };
    const part = (head: string, body: string) => `--b\r\nContent-Type: ${head}\r\n\r\n${body}\r\n`;
    const body = `${part('application/json', '{"name":"x"}')}${part('text/plain', content)}--b--`;
    add({ kind: 'corruptStored', at: 500 });
    const whole = await service.call('POST', UPLOAD, {
      query: { uploadType: 'multipart' },
      headers: type,
      body,
    });
    const session = await service.call('POST', UPLOAD, {
      query: { uploadType: 'resumable' },
      json: { name: 'y' },
    });
    const url = new URL(session.headers.get('location') ?? '');
    const put = (from: number, to: number) =>
      service.call('PUT', url.pathname + url.search, {
        headers: { 'Content-Range': `bytes ${from}-${to - 1}/${long.length}` },
        body: long.subarray(from, to),
      });
    const long = Buffer.alloc(300_000, 'x');
    add({ kind: 'corruptStored', at: 270_000, match: { method: 'PUT', nth: 2 } });
    (await put(0, 262_144)).status.should.equal(308);
    const last = await put(262_144, long.length);
    for (const [{ json }, at] of [
      [whole, 500],
      [last, 270_000],
    ] as const) {
      const stored = await service.drive.files.contentOf(json.id);
      [...stored].flatMap((byte, index) => (byte === 120 ? [] : [index])).should.deepEqual([at]);
    }
  });

  it('throttle limits the rate of bodies, and traffic counts the bytes on the wire', async () => {
    const long = Buffer.alloc(200_000, 'x');
    const name = await service.drive.files.add({ name: 'long', content: long });
    const path = `/drive/v3/files/${name}?alt=media`;
    const before = service.drive.traffic.sent;
    add({ kind: 'throttle', bytesPerSecond: 10_000_000 });
    (await service.call('GET', path)).bytes.equals(long).should.be.true();
    (service.drive.traffic.sent - before).should.be.within(long.length, long.length + 1_000);
    add({ kind: 'throttle', bytesPerSecond: 1 });
    const abort = new AbortController();
    const reading = fetch(`${service.drive.url}${path}`, {
      headers: { Authorization: 'Bearer test-access-token' },
      signal: abort.signal,
    }).then((response) => response.arrayBuffer());
    await service.drive.traffic.until(({ sent }) => sent - before > long.length + 65_000);
    (await list()).status.should.equal(200);
    (service.drive.traffic.sent - before).should.be.below(long.length + 70_000);
    abort.abort();
    await reading.should.be.rejected();
    const upload = { query: { uploadType: 'media' }, headers: { 'Content-Type': 'text/plain' }, body: long };
    add({ kind: 'throttle', bytesPerSecond: 10_000_000 });
    const { json } = await service.call('POST', UPLOAD, upload);
    (await service.drive.files.contentOf(json.id)).equals(long).should.be.true();
  });

  it('delay waits for a promise before the request is handled', async () => {
    let release: () => void = () => undefined;
    add({ kind: 'delay', until: new Promise<void>((resolve) => (release = resolve)) });
    let done = false;
    const waiting = list().then((response) => {
      done = true;
      return response;
    });
    (await service.call('GET', '/drive/v3/about?fields=user')).status.should.equal(200);
    done.should.be.false();
    release();
    (await waiting).status.should.equal(200);
  });

  it('stallResponse pauses a response until a promise resolves', async () => {
    let release: () => void = () => undefined;
    add({ kind: 'stallResponse', bytes: 300, until: new Promise<void>((resolve) => (release = resolve)) });
    const response = await fetch(`${service.drive.url}/drive/v3/files/${id}?alt=media`, {
      headers: { Authorization: 'Bearer test-access-token' },
    });
    let received = 0;
    for await (const chunk of response.body ?? []) {
      received += (chunk as Uint8Array).length;
      if (received === 300) release();
    }
    received.should.equal(1000);
  });

  it('resetRequest closes the connection within the request; a resumable upload keeps the received bytes', async () => {
    const bytes = randomBytes(500_000);
    const url = String(
      (await service.call('POST', `${UPLOAD}?uploadType=resumable`)).headers.get('location'),
    );
    add({ kind: 'resetRequest', bytes: 123_456, match: { method: 'PUT' } });
    await shouldFail(service.call('PUT', url, { body: bytes }));
    const query = () => service.call('PUT', url, { headers: { 'Content-Range': 'bytes */500000' } });
    String((await query()).headers.get('range')).should.equal('bytes=0-123455');
    add({ kind: 'omitRange', match: { method: 'PUT' } });
    const hidden = await query();
    [hidden.status, hidden.headers.get('range')].should.deepEqual([308, null]);
    const rest = await service.call('PUT', url, {
      body: bytes.subarray(123_456),
      headers: { 'Content-Range': 'bytes 123456-499999/500000' },
    });
    rest.status.should.equal(200);
    (await service.drive.files.contentOf((rest.json as { id: string }).id)).equals(bytes).should.be.true();
  });

  it('stallRequest stops reading the request until a promise resolves', async () => {
    let release: () => void = () => undefined;
    add({ kind: 'stallRequest', bytes: 1, until: new Promise<void>((resolve) => (release = resolve)) });
    let done = false;
    const upload = service.call('POST', `${UPLOAD}?uploadType=media`, { body: 'abc' }).then((response) => {
      done = true;
      return response;
    });
    await list();
    done.should.be.false();
    release();
    (await upload).status.should.equal(200);
  });

  it('partiallyStored stores a part of a chunk; sessionGone deletes the session', async () => {
    const bytes = randomBytes(500_000);
    const url = String(
      (await service.call('POST', `${UPLOAD}?uploadType=resumable`)).headers.get('location'),
    );
    const send = (from: number) =>
      service.call('PUT', url, {
        body: bytes.subarray(from),
        headers: { 'Content-Range': `bytes ${from}-499999/500000` },
      });
    add({ kind: 'partiallyStored', bytes: 1000, match: { method: 'PUT' } });
    const first = await send(0);
    [first.status, first.headers.get('range')].should.deepEqual([308, 'bytes=0-999']);
    add({ kind: 'partiallyStored', bytes: 0, match: { method: 'PUT' } });
    String((await send(1000)).headers.get('range')).should.equal('bytes=0-999');
    service.drive.files.openUploadSessions.should.be.above(0);
    add({ kind: 'sessionGone', status: 410, match: { method: 'PUT' } });
    shouldBeError(await send(1000), 410, 'gone');
    shouldBeError(await send(1000), 404, 'notFound');
  });
});
