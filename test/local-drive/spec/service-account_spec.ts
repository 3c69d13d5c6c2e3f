/** Service accounts (RFC 7523), checked with Google's own auth library and client. */
import { createSign } from 'node:crypto';
import { auth, drive } from '@googleapis/drive';
import should from 'should';
import type { ServiceAccountKey } from '../index';
import { TestClock, USER } from '../index';
import { useDrive } from './drive-fixture';

const SCOPE = 'https://www.googleapis.com/auth/drive';
const SHARED = { supportsAllDrives: true, includeItemsFromAllDrives: true };

describe('local drive: service accounts', () => {
  const service = useDrive();

  /** Google's JWT client, sent to the local token URL: the library knows only Google's. */
  const jwtClient = (key: ServiceAccountKey, subject?: string) => {
    const client = new auth.JWT({
      email: key.client_email,
      key: key.private_key,
      scopes: [SCOPE],
      subject,
      additionalClaims: { aud: key.token_uri },
    });
    client.transporter.interceptors.request.add({
      resolved: (config) => {
        if (config.url.href === 'https://oauth2.googleapis.com/token') config.url = new URL(key.token_uri);
        return Promise.resolve(config);
      },
    });
    return client;
  };
  const driveOf = (key: ServiceAccountKey, subject?: string) =>
    drive({ version: 'v3', auth: jwtClient(key, subject), rootUrl: `${service.drive.url}/`, retry: false });
  const here = () => ({ rootUrl: `${service.drive.url}/`, retry: false });
  const reasonOf = (request: Promise<unknown>): Promise<unknown> =>
    request.then(
      () => 'no error',
      (error: { response?: { data?: unknown } }) => {
        const data = error.response?.data as { error?: unknown };
        const inner = data.error as { errors?: { reason: string }[] } | string;
        return typeof inner === 'string' ? inner : inner.errors?.[0]?.reason;
      },
    );

  it("Google's auth library gets a token for an empty drive without storage", async () => {
    const key = service.drive.addServiceAccount();
    const client = driveOf(key);
    const { data } = await client.about.get({ fields: 'user(emailAddress),storageQuota' }, here());
    should(data.user?.emailAddress).equal(key.client_email);
    should(data.storageQuota).match({ limit: '0', usage: '0' });
    await service.drive.files.add({ name: 'private.txt', content: 'of the user' });
    const list = await client.files.list(SHARED, here());
    should(list.data.files).deepEqual([]);
  });

  it('a service account cannot store content in its own My Drive, but can create folders', async () => {
    const client = driveOf(service.drive.addServiceAccount());
    const upload = client.files.create(
      { requestBody: { name: 'a.txt' }, media: { mimeType: 'text/plain', body: 'a' } },
      here(),
    );
    (await reasonOf(upload))!.should.equal('storageQuotaExceeded');
    const folder = await client.files.create(
      { requestBody: { name: 'f', mimeType: 'application/vnd.google-apps.folder' }, fields: 'id,ownedByMe' },
      here(),
    );
    should(folder.data.ownedByMe).be.true();
    should((await client.files.list({}, here())).data.files).have.length(1);
    // The user sees nothing of it.
    const seen = await service.call('GET', '/drive/v3/files', { query: { pageSize: 1000 } });
    seen.json.files.some(({ name }) => name === 'f').should.be.false();
    const id = String(folder.data.id);
    (await service.call('GET', `/drive/v3/files/${id}`)).status.should.equal(404);
  });

  it('a service account sees what is shared with its address', async () => {
    const key = service.drive.addServiceAccount();
    const client = driveOf(key);
    const folder = await service.drive.files.addFolder('shared');
    const file = await service.drive.files.add({ name: 'in it.txt', parent: folder, content: 'text' });
    (await reasonOf(client.files.get({ fileId: file }, here())))!.should.equal('notFound');
    await service.drive.files.share(folder, key.client_email, 'reader');
    const found = await client.files.list(
      { q: `'${folder}' in parents`, fields: 'files(id,ownedByMe)' },
      here(),
    );
    should(found.data.files).deepEqual([{ id: file, ownedByMe: false }]);
    const rename = () => client.files.update({ fileId: file, requestBody: { name: 'new' } }, here());
    (await reasonOf(rename()))!.should.equal('insufficientFilePermissions');
    await service.drive.files.share(folder, key.client_email, 'writer');
    (await rename()).status.should.equal(200);
    // Its content belongs to the user, but new files in the folder would belong to the service account.
    const media = { mimeType: 'text/plain', body: 'new' };
    (await client.files.update({ fileId: file, media }, here())).status.should.equal(200);
    const create = client.files.create({ requestBody: { name: 'b', parents: [folder] }, media }, here());
    (await reasonOf(create))!.should.equal('storageQuotaExceeded');
  });

  it('a service account stores content in a shared drive that it is a member of', async () => {
    const key = service.drive.addServiceAccount();
    const client = driveOf(key);
    const id = await service.drive.files.addSharedDrive('Backups');
    should((await client.drives.list({}, here())).data.drives).deepEqual([]);
    await service.drive.files.share(id, key.client_email, 'fileOrganizer');
    should((await client.drives.list({}, here())).data.drives?.map((each) => each.id)).deepEqual([id]);
    const media = { mimeType: 'text/plain', body: 'archive' };
    const created = await client.files.create(
      { ...SHARED, requestBody: { name: 'a.tar', parents: [id] }, media },
      here(),
    );
    should(created.data.name).equal('a.tar');
    (await reasonOf(
      client.files.delete({ ...SHARED, fileId: String(created.data.id) }, here()),
    ))!.should.equal('insufficientFilePermissions');
  });

  it('impersonation is allowed for the delegated scopes and users of the domain', async () => {
    const key = service.drive.addServiceAccount();
    const attempt = (subject: string) =>
      driveOf(key, subject).about.get({ fields: 'user(emailAddress)' }, here());
    (await reasonOf(attempt(USER.emailAddress)))!.should.equal('unauthorized_client');
    service.drive.serviceAccounts.delegate(key.client_email, [SCOPE]);
    should((await attempt(USER.emailAddress)).data.user?.emailAddress).equal(USER.emailAddress);
    (await reasonOf(attempt('nobody@local-drive.example')))!.should.equal('invalid_grant');
  });

  it('a deleted key and a deleted service account get no token', async () => {
    const key = service.drive.addServiceAccount();
    service.drive.serviceAccounts.revokeKey(key.private_key_id);
    (await reasonOf(jwtClient(key).authorize()))!.should.equal('invalid_grant');
    const other = service.drive.addServiceAccount();
    service.drive.serviceAccounts.remove(other.client_email);
    (await reasonOf(jwtClient(other).authorize()))!.should.equal('invalid_grant');
  });

  it('a key of one service account is not accepted for another', async () => {
    const [one, other] = [service.drive.addServiceAccount(), service.drive.addServiceAccount()];
    const mixed = { ...one, private_key: other.private_key };
    (await reasonOf(jwtClient(mixed).authorize()))!.should.equal('invalid_grant');
  });
});

describe('local drive: claims of a JWT', () => {
  const clock = new TestClock();
  const service = useDrive({ clock });
  let key: ServiceAccountKey | undefined;

  const redeem = async (change: Record<string, unknown>, header: object = { alg: 'RS256', typ: 'JWT' }) => {
    key ??= service.drive.addServiceAccount();
    const now = Math.floor(clock.now() / 1000);
    const aud = key.token_uri;
    const claims = { iss: key.client_email, aud, scope: SCOPE, iat: now, exp: now + 3600, ...change };
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const unsigned = `${encode(header)}.${encode(claims)}`;
    const signature = createSign('RSA-SHA256').update(unsigned).sign(key.private_key, 'base64url');
    const form = {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: `${unsigned}.${signature}`,
    };
    return service.call('POST', '/token', { form, token: '' });
  };
  const now = () => Math.floor(clock.now() / 1000);

  it('a valid JWT gets an access token for an hour, and no refresh token', async () => {
    const { status, json } = await redeem({});
    status.should.equal(200);
    Object.keys(json).sort().should.deepEqual(['access_token', 'expires_in', 'token_type']);
    const about = () =>
      service.call('GET', '/drive/v3/about', { query: { fields: 'user' }, token: json.access_token });
    (await about()).status.should.equal(200);
    clock.advance(3600);
    (await about()).status.should.equal(401);
  });

  for (const [title, change] of Object.entries<() => Record<string, unknown>>({
    'with another audience': () => ({ aud: 'https://elsewhere.example/token' }),
    'of an unknown service account': () => ({ iss: 'nobody@project.example' }),
    'valid for more than an hour': () => ({ exp: now() + 3601 }),
    'issued in the future': () => ({ iat: now() + 400, exp: now() + 3000 }),
    'that has expired': () => ({ iat: now() - 3900, exp: now() - 400 }),
    'without times': () => ({ iat: undefined, exp: undefined }),
  })) {
    it(`a JWT ${title} is an invalid grant`, async () => {
      (await redeem(change())).json.should.have.property('error', 'invalid_grant');
    });
  }

  it('a JWT signed with another algorithm is an invalid grant', async () => {
    (await redeem({}, { alg: 'none' })).json.should.have.property('error', 'invalid_grant');
    (await redeem({}, { alg: 'RS256', kid: 'unknown' })).json.should.have.property('error', 'invalid_grant');
  });

  it('an unknown or missing scope is an invalid scope', async () => {
    (await redeem({ scope: 'https://www.googleapis.com/auth/nope' })).json.should.have.property(
      'error',
      'invalid_scope',
    );
    (await redeem({ scope: '' })).json.should.have.property('error', 'invalid_scope');
  });
});
