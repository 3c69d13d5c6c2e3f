/**
 * Google's own client shares files of the local drive.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions
 */
import type { drive_v3 } from '@googleapis/drive';
import should from 'should';
import { TestClock } from '../clock';
import { type CallSettings, officialClient } from './official-client';
import { useDrive } from './drive-fixture';

const KNOWN = { supportsAllDrives: true };
const FOLDER = 'application/vnd.google-apps.folder';
const STRANGER = 'stranger@no-account.example';

/** The reason of the error that a request is refused with. */
async function reasonOf(request: Promise<unknown>): Promise<string | undefined> {
  const refused = await request.catch(
    (error: { response: { data: { error: { errors: { reason: string }[] } } } }) => error.response.data,
  );
  return (refused as { error?: { errors: { reason: string }[] } }).error?.errors[0]?.reason;
}

describe("local drive: permissions with Google's client", () => {
  const clock = new TestClock();
  const service = useDrive({ clock, addressesWithoutAccount: [STRANGER] });
  let client: drive_v3.Drive;
  let here: CallSettings;
  let fileId: string;

  before(() => ({ client, here } = officialClient(service.drive.url)));
  beforeEach(async () => (fileId = await service.drive.files.add({ name: 'report.pdf', content: 'x' })));

  const share = (requestBody: drive_v3.Schema$Permission, more: object = {}, id = fileId) =>
    client.permissions.create({ fileId: id, requestBody, ...KNOWN, ...more }, here);
  const user = (emailAddress: string, role = 'reader') => ({ type: 'user', role, emailAddress });
  const list = async (id = fileId, more: object = {}) =>
    (await client.permissions.list({ fileId: id, fields: '*', ...KNOWN, ...more }, here)).data;
  const rolesOf = async (id = fileId) =>
    (await list(id)).permissions?.map(({ emailAddress, domain, type, role }) => [
      emailAddress ?? domain ?? type,
      role,
    ]);
  const inDays = (days: number) => new Date(clock.now() + days * 86_400_000).toISOString();

  it('a link, a user, a group and a domain get access, and lose it again', async () => {
    const { data: link } = await share({ type: 'anyone', role: 'reader' });
    link.should.deepEqual({ kind: 'drive#permission', id: 'anyoneWithLink', type: 'anyone', role: 'reader' });
    const { data: ana } = await share(user('ana@example.org', 'writer'));
    await share({ type: 'group', role: 'commenter', emailAddress: 'team@example.org' });
    await share({ type: 'domain', role: 'reader', domain: 'example.org' });
    should(await rolesOf()).deepEqual([
      ['user@local-drive.example', 'owner'],
      ['anyone', 'reader'],
      ['ana@example.org', 'writer'],
      ['team@example.org', 'commenter'],
      ['example.org', 'reader'],
    ]);
    const permissionId = String(ana.id);
    const { data: got } = await client.permissions.get({ fileId, permissionId, fields: '*' }, here);
    got.should.containDeep({ displayName: 'ana', emailAddress: 'ana@example.org', deleted: false });
    for (const id of [permissionId, 'anyoneWithLink'])
      (await client.permissions.delete({ fileId, permissionId: id }, here)).status.should.equal(204);
    (await rolesOf())?.should.have.length(3);
    const gone = { fileId, permissionId };
    await client.permissions.get(gone, here).should.be.rejectedWith({ code: 404 });
    await client.permissions.delete(gone, here).should.be.rejectedWith({ code: 404 });
  });

  it('the fields of a file report who has access', async () => {
    const fields = 'shared,ownedByMe,permissionIds,permissions(type,role),webViewLink,capabilities/canShare';
    const file = async () => (await client.files.get({ fileId, fields }, here)).data;
    const [me] = (await file()).permissionIds ?? [];
    (await file()).should.containDeep({ shared: false, ownedByMe: true, capabilities: { canShare: true } });
    await share({ type: 'anyone', role: 'reader' });
    const { webViewLink, ...rest } = await file();
    rest.should.containDeep({ shared: true, permissionIds: [me, 'anyoneWithLink'] });
    should(rest.permissions).deepEqual([
      { type: 'user', role: 'owner' },
      { type: 'anyone', role: 'reader' },
    ]);
    String(webViewLink).should.endWith(`/file/d/${fileId}/view`);
    const q = "'ana@example.org' in writers";
    const found = async () => (await client.files.list({ q }, here)).data.files?.map(({ id }) => id);
    (await found())?.should.not.containEql(fileId);
    await share(user('ana@example.org', 'writer'));
    (await found())?.should.containEql(fileId);
  });

  it('a grantee who is added again keeps the higher role, and an update sets any role', async () => {
    const { data } = await share(user('ana@example.org', 'writer'));
    (await share(user('Ana@example.org', 'reader'))).data.should.deepEqual(data);
    const permissionId = String(data.id);
    const update = (requestBody: object) =>
      client.permissions.update({ fileId, permissionId, requestBody, fields: 'role' }, here);
    (await update({ role: 'commenter' })).data.should.deepEqual({ role: 'commenter' });
    await update({ role: 'reader', emailAddress: 'b@example.org' }).should.be.rejectedWith({ code: 403 });
    await update({ role: 'king' }).should.be.rejectedWith({ code: 400 });
    const [owner] = (await list()).permissions ?? [];
    const own = { fileId, permissionId: String(owner?.id) };
    await client.permissions.delete(own, here).should.be.rejectedWith({ code: 403 });
  });

  it('a notification is sent unless it is disabled, and is required without a Google account', async () => {
    const sent = service.drive.sentEmails;
    const before = sent.length;
    await share(user('ana@example.org'), { sendNotificationEmail: false });
    await share(user(STRANGER), { sendNotificationEmail: false }).should.be.rejectedWith({ code: 400 });
    sent.length.should.equal(before);
    await share(user(STRANGER), { emailMessage: 'Here it is' });
    sent.slice(before).should.deepEqual([{ to: STRANGER, fileId, message: 'Here it is' }]);
    await share({ type: 'anyone', role: 'reader' }, { sendNotificationEmail: true }).should.be.rejectedWith({
      code: 400,
    });
  });

  it('an expiration time is set by an update, for users and groups only', async () => {
    const expirationTime = inDays(7);
    should(await reasonOf(share({ ...user('ana@example.org'), expirationTime }))).equal(
      'cannotSetExpirationOnInsert',
    );
    const { data } = await share(user('ana@example.org'));
    const set = (requestBody: object, permissionId = String(data.id), more: object = {}) =>
      client.permissions.update(
        { fileId, permissionId, requestBody, fields: 'expirationTime', ...more },
        here,
      );
    const role = 'reader';
    (await set({ role, expirationTime })).data.should.deepEqual({ expirationTime });
    for (const wrong of [inDays(-1), inDays(400)])
      await set({ role, expirationTime: wrong }).should.be.rejectedWith({ code: 403 });
    await share({ type: 'anyone', role });
    await set({ role, expirationTime }, 'anyoneWithLink').should.be.rejectedWith({ code: 403 });
    (await set({ role }, undefined, { removeExpiration: true })).data.should.deepEqual({});
    await set({ role, expirationTime });
    clock.advance(8 * 86_400);
    (await rolesOf())?.map(([name]) => name).should.not.containEql('ana@example.org');
  });

  it('a permission of a folder is inherited, and can be changed only there', async () => {
    const folder = await service.drive.files.addFolder('shared');
    const inner = await service.drive.files.add({ name: 'inner', parent: folder, content: 'x' });
    const { data } = await share(user('ana@example.org'), {}, folder);
    const details = async (id: string) =>
      (await list(id)).permissions?.find((each) => each.id === data.id)?.permissionDetails;
    should(await details(inner)).deepEqual([{ permissionType: 'file', role: 'reader', inherited: true }]);
    const permissionId = String(data.id);
    should(await reasonOf(client.permissions.delete({ fileId: inner, permissionId }, here))).equal(
      'cannotModifyInheritedPermission',
    );
    // A higher role on the file is a second permission of the same grantee, which can be deleted.
    await share(user('ana@example.org', 'writer'), {}, inner);
    (await details(inner))?.map(({ inherited }) => inherited).should.deepEqual([true, false]);
    await client.permissions.delete({ fileId: inner, permissionId }, here);
    should(await rolesOf(inner)).containEql(['ana@example.org', 'reader']);
  });

  it('shared drives have members, and roles of their own', async () => {
    const driveId = await service.drive.files.addSharedDrive('Team');
    const folder = await service.drive.files.addFolder('folder', driveId);
    const file = await service.drive.files.add({ name: 'file', parent: folder, content: 'x' });
    await share(user('boss@example.org', 'organizer'), {}, driveId);
    await share(user('ana@example.org', 'fileOrganizer'), {}, folder);
    const permissions = (await list(file)).permissions ?? [];
    permissions
      .map(({ emailAddress, permissionDetails }) => [emailAddress, permissionDetails?.[0]])
      .should.deepEqual([
        ['user@local-drive.example', inherited('member', 'organizer', driveId)],
        ['boss@example.org', inherited('member', 'organizer', driveId)],
        ['ana@example.org', inherited('file', 'fileOrganizer', folder)],
      ]);
    const { data: page } = await client.permissions.list({ fileId: file, pageSize: 2, ...KNOWN }, here);
    page.permissions?.should.have.length(2);
    const { data: last } = await client.permissions.list(
      { fileId: file, pageSize: 2, pageToken: page.nextPageToken ?? '', ...KNOWN },
      here,
    );
    last.permissions?.should.have.length(1);
    for (const [role, id] of [
      ['organizer', folder],
      ['fileOrganizer', file],
      ['organizer', fileId],
      ['fileOrganizer', fileId],
    ] as const)
      await share(user('c@example.org', role), {}, id).should.be.rejectedWith({ code: 403 });
    await share({ type: 'anyone', role: 'reader' }, {}, driveId).should.be.rejectedWith({ code: 403 });
    const { data } = await client.files.get(
      { fileId: file, fields: 'permissions,shared,permissionIds', ...KNOWN },
      here,
    );
    Object.keys(data).should.deepEqual(['permissionIds']);
    await client.permissions.list({ fileId: file }, here).should.be.rejectedWith({ code: 404 });
    await service.drive.files.setRole(driveId, 'reader');
    await client.permissions.list({ fileId: file, ...KNOWN }, here).should.be.rejectedWith({ code: 403 });
  });

  const inherited = (permissionType: string, role: string, inheritedFrom: string) => ({
    ...{ permissionType, role, inheritedFrom },
    inherited: true,
  });

  it('files that another user shared are found by sharedWithMe, and are not owned', async () => {
    const theirs = (name: string, sharedRole: 'reader' | 'writer', mimeType?: string) =>
      service.drive.files.add({ name, mimeType, sharedRole, sharedBy: 'ana@example.org' });
    const folder = await theirs('theirs', 'writer', FOLDER);
    const read = await theirs('read', 'reader');
    const inside = await service.drive.files.add({ name: 'inside', parent: folder, content: 'x' });
    const { data } = await client.files.list({ q: 'sharedWithMe = true' }, here);
    (data.files ?? []).map(({ id }) => id).should.deepEqual([folder, read]);
    const fields = 'ownedByMe,owners(emailAddress),parents,sharedWithMeTime,sharingUser/emailAddress';
    const { data: found } = await client.files.get({ fileId: folder, fields }, here);
    found.should.containDeep({ ownedByMe: false, owners: [{ emailAddress: 'ana@example.org' }] });
    found.should.not.have.property('parents');
    found.sharingUser?.should.deepEqual({ emailAddress: 'ana@example.org' });
    const rename = { fileId: read, requestBody: { name: 'x' } };
    await client.files.update(rename, here).should.be.rejectedWith({ code: 403 });
    await share({ type: 'anyone', role: 'reader' }, {}, read).should.be.rejectedWith({ code: 403 });
    await share({ type: 'anyone', role: 'reader' }, {}, inside);
    const owned = await client.files.list({ q: "'me' in owners and name = 'inside'" }, here);
    should(owned.data.files).deepEqual([]);
  });
});
