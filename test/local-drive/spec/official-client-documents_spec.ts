/**
 * Google's own client creates shortcuts, converts uploads, and reads revisions and comments.
 * https://developers.google.com/workspace/drive/api/guides/shortcuts
 */
import type { drive_v3 } from '@googleapis/drive';
import should from 'should';
import { type CallSettings, officialClient } from './official-client';
import { useDrive } from './drive-fixture';

const GOOGLE = 'application/vnd.google-apps';

describe("local drive: shortcuts and documents with Google's client", () => {
  const service = useDrive();
  let client: drive_v3.Drive;
  let here: CallSettings;

  before(() => ({ client, here } = officialClient(service.drive.url)));

  const create = async (
    requestBody: drive_v3.Schema$File,
    more: drive_v3.Params$Resource$Files$Create = {},
  ) => (await client.files.create({ requestBody, fields: '*', ...more }, here)).data;
  const shortcutTo = (targetId: string, name = 's') =>
    create({ name, mimeType: `${GOOGLE}.shortcut`, shortcutDetails: { targetId } });

  it('a shortcut keeps the type of its target, and has no content', async () => {
    const fileId = await service.drive.files.add({ name: 'target.txt', content: 'x' });
    const shortcut = await shortcutTo(fileId);
    const id = String(shortcut.id);
    should(shortcut.shortcutDetails).deepEqual({ targetId: fileId, targetMimeType: 'text/plain' });
    await client.files.get({ fileId: id, alt: 'media' }, here).should.be.rejectedWith({ code: 403 });
    for (const wrong of [id, 'no-such-file']) await shortcutTo(wrong).should.be.rejectedWith({ code: 403 });
    const link = { fileId: id, requestBody: { type: 'anyone', role: 'reader' } };
    await client.permissions.create(link, here).should.be.rejectedWith({ code: 403 });
    await client.files.delete({ fileId }, here);
    const { data } = await client.files.get({ fileId: id, fields: 'shortcutDetails' }, here);
    should(data.shortcutDetails).deepEqual(shortcut.shortcutDetails);
  });

  it('a shortcut to a folder has no children, and is no parent', async () => {
    const folder = await service.drive.files.addFolder('folder');
    await service.drive.files.add({ name: 'inside', parent: folder, content: 'x' });
    const id = String((await shortcutTo(folder)).id);
    const { data } = await client.files.list({ q: `'${id}' in parents` }, here);
    should(data.files).deepEqual([]);
    await create({ name: 'new', parents: [id] }).should.be.rejectedWith({ code: 403 });
  });

  it('an upload is converted if importFormats has the pair', async () => {
    const { data: about } = await client.about.get({ fields: 'importFormats,exportFormats' }, here);
    should(about.importFormats?.['text/csv']).deepEqual([`${GOOGLE}.spreadsheet`]);
    const media = { mimeType: 'text/csv', body: 'a,b\n1,2\n' };
    const sheet = await create({ name: 'Sheet', mimeType: `${GOOGLE}.spreadsheet` }, { media });
    sheet.should.have.property('mimeType', `${GOOGLE}.spreadsheet`);
    sheet.should.not.have.properties(['md5Checksum', 'sha256Checksum']);
    String(sheet.webViewLink).should.match(/\/spreadsheets\/d\//);
    const fileId = String(sheet.id);
    const csv = async () => (await client.files.export({ fileId, mimeType: 'text/csv' }, here)).data;
    should(await csv()).equal('a,b\n1,2\n');
    const newer = { mimeType: 'text/csv', body: 'c\n' };
    const updated = await client.files.update({ fileId, media: newer, fields: 'id,mimeType' }, here);
    updated.data.should.deepEqual({ id: fileId, mimeType: `${GOOGLE}.spreadsheet` });
    should(await csv()).equal('c\n');
    for (const kind of ['document', 'presentation'])
      await create({ name: 'x', mimeType: `${GOOGLE}.${kind}` }, { media }).should.be.rejectedWith({
        code: 400,
      });
  });

  it('documents, conversions and shortcuts have no generated ids', async () => {
    const [id] = (await client.files.generateIds({ count: 1 }, here)).data.ids ?? [];
    const target = await service.drive.files.add({ name: 'x', content: 'x' });
    await create({ id, mimeType: `${GOOGLE}.document` }).should.be.rejectedWith({ code: 400 });
    await create({
      ...{ id, mimeType: `${GOOGLE}.shortcut` },
      shortcutDetails: { targetId: target },
    }).should.be.rejectedWith({ code: 400 });
    (await create({ id, mimeType: `${GOOGLE}.folder` })).should.have.property('id', id);
  });

  it('each new content of a file is a revision', async () => {
    const fileId = await service.drive.files.add({ name: 'a.txt', content: 'one' });
    await client.files.update({ fileId, media: { mimeType: 'text/plain', body: 'second' } }, here);
    const fields = 'revisions(id,size,keepForever,md5Checksum)';
    const list = async () => (await client.revisions.list({ fileId, fields }, here)).data.revisions ?? [];
    const [first, head] = await list();
    should([first?.size, head?.size]).deepEqual(['3', '6']);
    String(first?.md5Checksum).should.match(/^[0-9a-f]{32}$/);
    const revisionId = String(first?.id);
    const kept = { fileId, revisionId, requestBody: { keepForever: true }, fields: 'keepForever' };
    (await client.revisions.update(kept, here)).data.should.deepEqual({ keepForever: true });
    const { data } = await client.revisions.get({ fileId, revisionId: 'head' }, here);
    should(data.id).equal(head?.id);
    await client.revisions.delete({ fileId, revisionId }, here);
    (await list()).map(({ id }) => id).should.deepEqual([head?.id]);
    await client.revisions
      .delete({ fileId, revisionId: String(head?.id) }, here)
      .should.be.rejectedWith({ code: 403 });
  });

  it('comments are created and listed, with the fields that are requested', async () => {
    const fileId = await service.drive.files.add({ name: 'a.txt', content: 'x' });
    const requestBody = { content: 'Checked' };
    await client.comments.create({ fileId, requestBody }, here).should.be.rejectedWith({ code: 400 });
    await client.comments.create({ fileId, requestBody, fields: 'id' }, here);
    const { data } = await client.comments.list({ fileId, fields: 'comments(content,author/me)' }, here);
    should(data.comments).deepEqual([{ content: 'Checked', author: { me: true } }]);
  });
});
