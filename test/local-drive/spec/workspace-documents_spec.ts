/**
 * Workspace documents and their exports, and shortcuts.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import 'should';
import { shouldBeError, useDrive, type ResponseJson } from './drive-fixture';

const DOCUMENT = 'application/vnd.google-apps.document';

describe('local drive: Workspace documents', () => {
  const service = useDrive();
  const post = async (json: object): Promise<ResponseJson> =>
    (await service.call('POST', '/drive/v3/files?fields=*', { json })).json;
  const get = (id: string, query: Record<string, string>) =>
    service.call('GET', `/drive/v3/files/${id}`, { query });

  it('Workspace documents are exported and have no content to download', async () => {
    const doc = await post({ name: 'Letter', mimeType: DOCUMENT });
    doc.should.not.have.properties(['md5Checksum', 'sha256Checksum', 'webContentLink']);
    shouldBeError(await get(doc.id, { alt: 'media' }), 403, 'fileNotDownloadable');
    const exported = (format: string) =>
      service.call('GET', `/drive/v3/files/${doc.id}/export`, { query: { mimeType: format } });
    (await exported('text/plain')).text.should.equal('Letter\n');
    (await exported('application/pdf')).text.should.startWith('%PDF-');
    String((await exported('application/pdf')).headers.get('content-type')).should.equal('application/pdf');
    shouldBeError(await exported('image/png'), 400, 'badRequest');
    (await service.call('GET', doc.exportLinks['text/plain'] as string)).text.should.equal('Letter\n');
    const plain = await service.drive.files.add({ name: 'plain', content: 'x' });
    const refused = await service.call('GET', `/drive/v3/files/${plain}/export?mimeType=text/plain`);
    shouldBeError(refused, 403, 'fileNotExportable');
  });

  it('files.create creates shortcuts', async () => {
    const target = await service.drive.files.add({ name: 'target.txt', content: 'x' });
    const shortcut = await post({
      name: 's',
      mimeType: 'application/vnd.google-apps.shortcut',
      shortcutDetails: { targetId: target },
    });
    shortcut.shortcutDetails.should.deepEqual({ targetId: target, targetMimeType: 'text/plain' });
    shortcut.should.not.have.property('size');
  });
});

describe('local drive: documents made from content', () => {
  const logged: string[] = [];
  const service = useDrive({ log: (line) => logged.push(line) });

  it('files.export returns the text that a document was created from', async () => {
    const id = await service.drive.files.add({ name: 'Made', mimeType: DOCUMENT, content: 'its text' });
    const path = `/drive/v3/files/${id}/export?mimeType=text/plain`;
    (await service.call('GET', path)).text.should.equal('its text');
    // Unexpected errors, here content missing from the disk, are logged and sent as internal errors.
    await rm(join(service.drive.dataDir, 'content'), { recursive: true });
    shouldBeError(await service.call('GET', path), 500, 'internalError');
    logged.join().should.match(/ENOENT/);
    (await service.call('GET', '/drive/v3/files')).status.should.equal(200);
  });
});
