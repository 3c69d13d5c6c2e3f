/**
 * Google's own client works with the local drive.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { auth, drive_v3 } from '@googleapis/drive';
import 'should';
import { type CallSettings, officialClient } from './official-client';
import { useDrive } from './drive-fixture';

const FOLDER = 'application/vnd.google-apps.folder';

describe("local drive: Google's client", () => {
  const service = useDrive();
  let client: drive_v3.Drive;
  let here: CallSettings;

  before(() => ({ client, here } = officialClient(service.drive.url)));

  const bytesOf = async (fileId: string, headers: Record<string, string> = {}): Promise<Buffer> => {
    const { data } = await client.files.get(
      { fileId, alt: 'media' },
      { ...here, responseType: 'arraybuffer', headers },
    );
    return Buffer.from(data as unknown as ArrayBuffer);
  };

  it("Google's client reads about", async () => {
    const { data } = await client.about.get({ fields: 'user,storageQuota' }, here);
    String(data.user?.emailAddress).should.match(/@/);
    String(data.storageQuota?.usage).should.match(/^\d+$/);
    await client.about.get({}, here).should.be.rejectedWith({ code: 400 });
  });

  it("Google's client creates with content, lists, downloads, updates, copies and deletes", async () => {
    const folder = await client.files.create(
      { requestBody: { name: 'F', mimeType: FOLDER }, fields: 'id' },
      here,
    );
    const bytes = randomBytes(300_000);
    const { data: made } = await client.files.create(
      {
        requestBody: { name: "it's \\ 1.bin", parents: [String(folder.data.id)] },
        media: {
          mimeType: 'application/x-thing',
          body: Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]),
        },
        fields: 'id,name,size,md5Checksum,mimeType,parents',
      },
      here,
    );
    made.should.have.properties({
      name: "it's \\ 1.bin",
      size: '300000',
      md5Checksum: createHash('md5').update(bytes).digest('hex'),
      mimeType: 'application/x-thing',
      parents: [folder.data.id],
    });
    const id = String(made.id);
    const q = String.raw`'${String(folder.data.id)}' in parents and name = 'it\'s \\ 1.bin' and trashed = false`;
    const listed = await client.files.list({ q, fields: 'files(id)' }, here);
    (listed.data.files ?? []).should.deepEqual([{ id }]);
    (await bytesOf(id)).equals(bytes).should.be.true();
    (await bytesOf(id, { Range: 'bytes=10-19' })).equals(bytes.subarray(10, 20)).should.be.true();

    const renamed = await client.files.update(
      { fileId: id, requestBody: { name: 'new', trashed: true } },
      here,
    );
    String(renamed.data.name).should.equal('new');
    const replaced = await client.files.update(
      {
        fileId: id,
        requestBody: { trashed: false },
        media: { mimeType: 'text/plain', body: 'text' },
        fields: 'id,size,trashed,mimeType',
      },
      here,
    );
    replaced.data.should.deepEqual({ id, size: '4', trashed: false, mimeType: 'text/plain' });
    const copied = await client.files.copy({ fileId: id, requestBody: { name: 'copy' } }, here);
    (await bytesOf(String(copied.data.id))).toString().should.equal('text');
    (await client.files.delete({ fileId: id }, here)).status.should.equal(204);
    await client.files.get({ fileId: id }, here).should.be.rejectedWith({ code: 404 });
  });

  it("Google's client moves, copies with a generated id and restores from the trash", async () => {
    const [from, to] = [
      await service.drive.files.addFolder('from'),
      await service.drive.files.addFolder('to'),
    ];
    const fileId = await service.drive.files.add({ name: 'mover', parent: from, content: 'text' });
    const moved = await client.files.update(
      { fileId, addParents: to, removeParents: from, supportsAllDrives: true, fields: 'id,parents' },
      here,
    );
    moved.data.should.deepEqual({ id: fileId, parents: [to] });
    const [id = ''] = (await client.files.generateIds({ count: 1 }, here)).data.ids ?? [];
    const requestBody = { id, name: 'copy', parents: [from] };
    const copied = await client.files.copy({ fileId, requestBody, fields: 'id,name,parents' }, here);
    copied.data.should.deepEqual(requestBody);
    (await bytesOf(id)).toString().should.equal('text');
    await client.files.copy({ fileId, requestBody }, here).should.be.rejectedWith({ code: 409 });

    await client.files.update({ fileId, requestBody: { trashed: true } }, here);
    const q = `'${to}' in parents and name = 'mover' and trashed = true`;
    const { data } = await client.files.list({ q, fields: 'files(id)' }, here);
    (data.files ?? []).should.deepEqual([{ id: fileId }]);
    const back = await client.files.update(
      { fileId, requestBody: { trashed: false }, fields: 'trashed,parents' },
      here,
    );
    back.data.should.deepEqual({ trashed: false, parents: [to] });
  });

  it("Google's client uploads content alone and streams a download", async () => {
    const { data } = await client.files.create(
      { media: { mimeType: 'text/plain', body: 'media only' } },
      here,
    );
    const response = await client.files.get(
      { fileId: String(data.id), alt: 'media' },
      { ...here, responseType: 'stream' },
    );
    const chunks: Buffer[] = [];
    for await (const chunk of response.data as AsyncIterable<Buffer>) chunks.push(chunk);
    Buffer.concat(chunks).toString().should.equal('media only');
  });

  it("Google's client uploads in a resumable session", async () => {
    const bytes = randomBytes(600_000);
    const credentials = client.context._options.auth as InstanceType<typeof auth.OAuth2>;
    const started = await credentials.request({
      url: `${service.drive.url}/upload/drive/v3/files`,
      method: 'POST',
      params: { uploadType: 'resumable', fields: 'id,size' },
      data: { name: 'resumable' },
    });
    const sessionUrl = String(new Headers(started.headers).get('location'));
    const unit = 262_144;
    const first = await credentials.request({
      url: sessionUrl,
      method: 'PUT',
      data: bytes.subarray(0, unit),
      headers: { 'Content-Range': `bytes 0-${unit - 1}/600000` },
      validateStatus: (status) => status === 308,
    });
    String(new Headers(first.headers).get('range')).should.equal(`bytes=0-${unit - 1}`);
    const last = await credentials.request<{ id: string; size: string }>({
      url: sessionUrl,
      method: 'PUT',
      data: bytes.subarray(unit),
      headers: { 'Content-Range': `bytes ${unit}-599999/600000` },
    });
    last.data.size.should.equal('600000');
    (await bytesOf(last.data.id)).equals(bytes).should.be.true();
  });

  it("Google's client reads all pages", async () => {
    const folder = await service.drive.files.addFolder('paged');
    for (let index = 0; index < 25; index += 1) {
      await service.drive.files.add({ name: `p${index}`, parent: folder });
    }
    const names: (string | null | undefined)[] = [];
    let pageToken: string | undefined;
    do {
      const { data } = await client.files.list(
        { q: `'${folder}' in parents`, pageSize: 10, pageToken },
        here,
      );
      names.push(...(data.files ?? []).map(({ name }) => name));
      pageToken = data.nextPageToken ?? undefined;
    } while (pageToken !== undefined);
    new Set(names).size.should.equal(25);
  });

  it("Google's client gets ids, changes and shared drives", async () => {
    const { data: generated } = await client.files.generateIds({ count: 2 }, here);
    const [id] = generated.ids ?? [];
    const { data: start } = await client.changes.getStartPageToken({}, here);
    await client.files.create({ requestBody: { id, name: 'with id' } }, here);
    await client.files
      .create({ requestBody: { id, name: 'again' } }, here)
      .should.be.rejectedWith({ code: 409 });
    const { data } = await client.changes.list({ pageToken: String(start.startPageToken) }, here);
    (data.changes ?? []).map(({ fileId }) => fileId).should.deepEqual([id]);
    ((await client.drives.list({}, here)).data.drives ?? [{}]).should.deepEqual([]);
  });

  it("Google's client understands errors", async () => {
    await client.files
      .list({ q: 'nonsense' }, here)
      .should.be.rejectedWith({ code: 400, message: 'Invalid Value' });
    service.drive.faults.add({ kind: 'error', reason: 'rateLimitExceeded' });
    await client.files.list({}, here).should.be.rejectedWith({ code: 403 });
  });
});
