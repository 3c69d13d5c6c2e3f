/** The share node as docs/nodes/share.md describes it, compared with Google's official client. */
import type { drive_v3 } from '@googleapis/drive';
import helper from 'node-red-node-test-helper';
import should from 'should';
import type { Permission } from '../../src/drive/permissions';
import { ACCESS_TOKEN, CLIENT } from '../support/node-red/account';
import { fileRequests, nodeRunner, useDrive } from '../support/node-red/flow-drive';
import { useGoogleClient } from '../support/node-red/google-client';
import { load, node, useNodeRed } from '../support/node-red/load';
import { MINE, minimalAccount, withMinimalService } from '../support/node-red/minimal-account';
import { failed, passed } from '../support/node-red/outcome';

const ANN = 'ann@example.com';
const NOBODY = 'nobody@nowhere.example';
const DAY = 86_400_000;
const LINK = { id: 'anyoneWithLink', type: 'anyone', role: 'reader', allowFileDiscovery: false };

describe('share node', () => {
  useNodeRed();
  const drive = useDrive({
    clients: [{ ...CLIENT }],
    token: ACCESS_TOKEN,
    addressesWithoutAccount: [NOBODY],
  });
  const google = useGoogleClient(drive);
  let unique = 0;
  let folder: string;
  let id: string;

  beforeEach(async () => {
    folder = await drive().files.addFolder(`folder ${++unique}`);
    id = await drive().files.add({ name: 'a.txt', parent: folder, content: 'content' });
    drive().requests.clear();
  });

  const run = nodeRunner('share', drive, { service: 'google' }, () => ({ topic: 'mine', payload: id }));
  const permissionsOf = async (fileId = id): Promise<drive_v3.Schema$Permission[]> => {
    const params = { fileId, fields: 'permissions', supportsAllDrives: true };
    return (await google().permissions.list(params)).data.permissions!;
  };
  /** Without the owner. @returns `role address` of each permission */
  const access = async (fileId = id): Promise<string[]> =>
    (await permissionsOf(fileId))
      .filter(({ role }) => role !== 'owner')
      .map(({ role, type, emailAddress, domain }) => `${role} ${emailAddress ?? domain ?? type}`);
  const grant = async (requestBody: drive_v3.Schema$Permission, fileId = id): Promise<string> => {
    const params = { fileId, requestBody, sendNotificationEmail: false, supportsAllDrives: true };
    const isPerson = requestBody.type === 'user' || requestBody.type === 'group';
    const { sendNotificationEmail: _send, ...others } = params;
    return (await google().permissions.create(isPerson ? params : others)).data.id!;
  };
  const writes = (): string[] => fileRequests(drive()).filter((each) => !each.startsWith('GET'));
  const user = { with: 'user', to: ANN, toType: 'str' };

  for (const service of ['google', 'custom'] as const) {
    it(`share creates a link that only finds who has it, at a ${service} service`, async () => {
      const sent = passed(await run({}, {}, { service }));
      should(sent).match({ topic: 'mine', created: true, payload: { id, name: 'a.txt' } });
      should(sent.payload)
        .have.property('webViewLink')
        .match(/^http.+\/file\/d\//);
      should(sent.payload).not.have.properties('driveId', 'shortcutDetails');
      const expected = await permissionsOf();
      should(sent['permissions']).eql(expected);
      expected.find(({ type }) => type === 'anyone')!.should.containEql(LINK);
    });
  }

  it('share gives the same permissions as Google’s client', async () => {
    const other = await drive().files.add({ name: 'b.txt', parent: folder });
    const cases: [object, drive_v3.Schema$Permission][] = [
      [
        { with: 'anyone', role: 'commenter' },
        { type: 'anyone', role: 'commenter' },
      ],
      [
        { ...user, role: 'writer' },
        { type: 'user', role: 'writer', emailAddress: ANN },
      ],
      [
        { ...user, with: 'group', to: 'g@example.com' },
        { type: 'group', role: 'reader', emailAddress: 'g@example.com' },
      ],
      [
        { ...user, with: 'domain', to: 'example.com' },
        { type: 'domain', role: 'reader', domain: 'example.com' },
      ],
    ];
    for (const [node, permission] of cases) {
      passed(await run(node));
      await grant(permission, other);
    }
    should(await permissionsOf()).eql(await permissionsOf(other));
    drive().sentEmails.should.be.empty();
  });

  it('share changes nothing when it runs again', async () => {
    const expires = new Date(Date.now() + 5 * DAY).toISOString();
    for (const node of [{}, { ...user, expires }, { with: 'domain', to: 'example.com', toType: 'str' }]) {
      should(passed(await run(node))).have.property('created', true);
      drive().requests.clear();
      const again = passed(await run(node));
      should(again).have.property('created', false);
      should(again['permissions']).eql(await permissionsOf());
      writes().should.be.empty();
    }
    passed(await run({ ...user, to: ANN.toUpperCase(), expires: '' }));
    writes().should.be.empty();
    (await access()).should.have.length(3);
  });

  it('share changes another role to the requested one, up and down, and keeps an expiration', async () => {
    const expires = new Date(Date.now() + 5 * DAY).toISOString();
    passed(await run({ ...user, expires }));
    for (const role of ['writer', 'commenter']) {
      const sent = passed(await run({ ...user, role }));
      should(sent).have.property('created', false);
      (await access()).should.eql([`${role} ${ANN}`]);
    }
    const ann = (await permissionsOf()).find(({ emailAddress }) => emailAddress === ANN)!;
    should(ann.expirationTime).equal(expires);
    passed(await run({ role: 'writer' }));
    should(passed(await run({ role: 'reader' }))).have.property('created', false);
    (await access()).should.eql([`commenter ${ANN}`, 'reader anyone']);
  });

  it('share makes a link discoverable only if requested, and no longer if not', async () => {
    for (const [discoverable, expected] of [
      [true, 'anyone'],
      [false, 'anyoneWithLink'],
      [true, 'anyone'],
    ] as const) {
      const sent = passed(await run({ discoverable }));
      const links = (await permissionsOf()).filter(({ type }) => type === 'anyone');
      links.map((each) => each.id).should.eql([expected]);
      should(sent['permissions']).eql(await permissionsOf());
    }
    const domain = { with: 'domain', to: 'example.com', toType: 'str' };
    for (const discoverable of [true, false]) {
      passed(await run({ ...domain, discoverable }));
      const found = (await permissionsOf()).find(({ type }) => type === 'domain')!;
      should(found.allowFileDiscovery).equal(discoverable);
    }
  });

  it('share takes the address from the message and sends an e-mail only with notify', async () => {
    passed(await run({ with: 'user' }, { to: ` ${ANN} ` }));
    drive().sentEmails.should.be.empty();
    passed(await run({ with: 'user', notify: true, message: 'Look!' }, { to: 'bob@example.com' }));
    drive().sentEmails.should.match([{ to: 'bob@example.com', message: 'Look!' }]);
    passed(await run({ with: 'anyone', notify: true, message: 'Look!' }));
  });

  it('share says to turn on notify for an address without a Google account', async () => {
    const nobody = { with: 'user', to: NOBODY, toType: 'str' };
    const { cause } = failed(await run(nobody), 'invalid_input', NOBODY, '“Send an email”');
    should(cause).containEql({ status: 400, reason: 'invalidSharingRequest' });
    passed(await run({ ...nobody, notify: true }));
    (await access()).should.eql([`reader ${NOBODY}`]);
  });

  it('share quotes an invalid address or domain', async () => {
    for (const [grantee, to] of [
      ['user', 'ann at example'],
      ['domain', 'exam ple'],
    ])
      failed(await run({ with: grantee, to, toType: 'str' }), 'invalid_input', `but got '${to}'`);
  });

  it('share sets an expiration right after it was refused at creation, counted from now', async () => {
    const before = Date.now();
    const sent = passed(await run({ ...user, expires: '7 days' }));
    const ann = (sent['permissions'] as Permission[]).find(({ emailAddress }) => emailAddress === ANN)!;
    const time = Date.parse(ann.expirationTime!);
    time.should.be.within(before + 7 * DAY, Date.now() + 7 * DAY);
    writes()
      .map((each) => each.split(' ')[0])
      .should.eql(['POST', 'POST', 'PATCH']);
    const later = new Date(Date.now() + 20 * DAY).toISOString();
    passed(await run({ ...user, expires: later }));
    const changed = (await permissionsOf()).find(({ emailAddress }) => emailAddress === ANN)!;
    should(changed.expirationTime).equal(later);
  });

  it('share accepts an expiration after a year', async () => {
    passed(await run({ ...user, expires: '1 year' }));
  });

  it('share removes the permission again if its expiration cannot be set', async () => {
    drive().faults.add({ kind: 'error', reason: 'cannotSetExpiration', match: { method: 'PATCH' } });
    const { cause } = failed(await run({ ...user, expires: '7 days' }), 'permission_denied');
    should(cause).containEql({ reason: 'cannotSetExpiration' });
    (await access()).should.be.empty();
    drive().faults.add({ kind: 'error', reason: 'cannotSetExpiration', match: { method: 'PATCH' } });
    drive().faults.add({ kind: 'error', reason: 'forbidden', match: { method: 'DELETE' } });
    failed(await run({ ...user, expires: '7 days' }), 'partial_failure', ANN);
  });

  it('share creates one permission and sends one e-mail although the response is lost', async () => {
    drive().faults.add({ kind: 'resetResponse', bytes: 0, match: { method: 'POST', path: /permissions/ } });
    const sent = passed(await run({ ...user, notify: true }));
    should(sent).have.property('created', true);
    (await access()).should.eql([`reader ${ANN}`]);
    writes().should.have.length(1);
    drive()
      .sentEmails.filter(({ fileId }) => fileId === id)
      .should.have.length(1);
  });

  it('share lists who has access, from all pages', async () => {
    const driveId = await drive().files.addSharedDrive('Team');
    const file = await drive().files.add({ name: 'team.txt', parent: driveId });
    for (let index = 0; index < 105; index++)
      await grant({ type: 'user', role: 'reader', emailAddress: `u${index}@example.com` }, file);
    drive().requests.clear();
    const sent = passed(await run({ action: 'list' }, { payload: file }));
    should(sent['permissions']).have.length(106);
    should(sent).containEql({ created: false });
    should(sent.payload).match({ id: file, webViewLink: /./ });
    fileRequests(drive())
      .filter((each) => each.includes('/permissions'))
      .should.have.length(2);
    writes().should.be.empty();
  });

  it('share removes access whatever its role, and does nothing without it', async () => {
    for (const node of [
      { role: 'writer' },
      { ...user, role: 'writer' },
      { with: 'domain', to: 'example.com', toType: 'str' },
    ]) {
      passed(await run(node));
      const remove = { ...node, action: 'remove', role: 'reader' };
      const sent = passed(await run(remove));
      should(sent).match({ created: false, removed: true, shared: false });
      should(sent['permissions']).eql(await permissionsOf());
      (await access()).should.be.empty();
      drive().requests.clear();
      should(passed(await run(remove))).match({ removed: false, shared: false });
      writes().should.be.empty();
    }
  });

  const anna = { type: 'user', role: 'writer', emailAddress: ANN };
  const bob = { type: 'user', role: 'reader', emailAddress: 'bob@example.com' };
  const link = { type: 'anyone', role: 'reader' };
  const domain = { type: 'domain', role: 'reader', domain: 'example.com' };
  for (const [what, granted, remove, expected, status] of [
    ['the only user', [anna], user, [true, false], ['green', 'no longer shared']],
    [
      'a user while the link is open',
      [anna, link],
      user,
      [true, true],
      ['yellow', 'access removed · still open by link'],
    ],
    ['one of two users', [anna, bob], user, [true, true], ['green', 'access removed · still shared']],
    [
      'a user of a domain with access',
      [anna, domain],
      user,
      [true, true],
      ['green', 'access removed · still shared'],
    ],
    [
      'the link, but not of a user',
      [anna, link],
      {},
      [true, true],
      ['green', 'access removed · still shared'],
    ],
    ['a user who has none', [], user, [false, false], ['green', 'nothing to remove']],
    [
      'a user who has none while the link is open',
      [link],
      user,
      [false, true],
      ['yellow', 'nothing to remove · still open by link'],
    ],
    [
      'a user who has none, but another',
      [bob],
      user,
      [false, true],
      ['green', 'nothing to remove · still shared'],
    ],
    ['a link that is closed', [anna], {}, [false, true], ['green', 'nothing to remove · still shared']],
  ] as const) {
    it(`share reports who still has access after it removed the access of ${what}`, async () => {
      for (const permission of granted) await grant(permission);
      const flow = await load([node('share', { ...remove, action: 'remove' })], {
        url: drive().url,
        service: 'google',
      });
      const sent = passed(await flow.run('n', { payload: id }));
      should([sent['removed'], sent['shared']]).eql(expected);
      should(sent['permissions']).eql(await permissionsOf());
      should(flow.statuses('n').at(-1)).containEql({ fill: status[0], text: `a.txt · ${status[1]}` });
    });
  }

  it('share reports access that the service still lists after it was removed', async () => {
    await grant(anna);
    const inherited = { id: 'other', type: 'user', role: 'reader', emailAddress: ANN };
    const match = { method: 'GET', path: new RegExp(`${id}/permissions`), nth: 2 };
    drive().faults.add({ kind: 'response', match, body: { permissions: [inherited] } });
    failed(await run({ ...user, action: 'remove' }), 'conflict', ANN, 'inherited');
  });

  it('share reports the remaining access if the account has removed its own', async () => {
    await grant(anna);
    await grant(bob);
    const match = { method: 'GET', path: new RegExp(`${id}/permissions`), nth: 2 };
    drive().faults.add({ kind: 'error', reason: 'notFound', match });
    const sent = passed(await run({ ...user, action: 'remove' }));
    should(sent).match({ removed: true, shared: true });
    should(sent['permissions']).eql(await permissionsOf());
  });

  it('share stands for the target of a shortcut', async () => {
    const { data } = await google().files.create({
      requestBody: {
        ...{
          name: 'to a',
          mimeType: 'application/vnd.google-apps.shortcut',
          shortcutDetails: { targetId: id },
        },
      },
    });
    for (const payload of [data.id, '/to a']) {
      const sent = passed(await run({ role: 'writer' }, { payload }));
      should(sent.payload).match({ id, name: 'a.txt' });
    }
    (await access()).should.eql(['writer anyone']);
  });

  it('share explains that an inherited permission must be removed or reduced at its folder', async () => {
    const inner = await drive().files.addFolder('inner', folder);
    const file = await drive().files.add({ name: 'b.txt', parent: inner });
    await grant({ type: 'user', role: 'writer', emailAddress: ANN }, folder);
    const source = `“folder ${unique}”`;
    drive().requests.clear();
    failed(await run({ ...user, action: 'remove' }, { payload: file }), 'conflict', source, ANN, 'writer');
    failed(await run({ ...user, role: 'reader' }, { payload: file }), 'conflict', source, 'reduced');
    failed(await run({ ...user, role: 'writer', expires: '7 days' }, { payload: file }), 'conflict', source);
    should(passed(await run({ ...user, role: 'writer' }, { payload: file }))).have.property('created', false);
    writes().should.be.empty();
  });

  it('share raises an inherited role on the file alone', async () => {
    await grant({ type: 'user', role: 'reader', emailAddress: ANN }, folder);
    const sent = passed(await run({ ...user, role: 'writer' }));
    should(sent).have.property('created', false);
    (await access()).should.eql([`writer ${ANN}`]);
    (await access(folder)).should.eql([`reader ${ANN}`]);
  });

  it('share explains a refusal because of inheritance by a service that does not report it', async () => {
    await grant({ type: 'user', role: 'writer', emailAddress: ANN }, folder);
    const plain = { id: 'P', type: 'user', role: 'writer', emailAddress: ANN };
    const body = { permissions: [plain] };
    for (const action of ['remove', 'share']) {
      const match = { method: 'GET', path: new RegExp(`${id}/permissions`) };
      drive().faults.add({ kind: 'response', match, body });
      for (const method of ['DELETE', 'PATCH'])
        drive().faults.add({ kind: 'error', reason: 'cannotModifyInheritedPermission', match: { method } });
      failed(await run({ ...user, action }), 'conflict', ANN, 'inherited');
      drive().faults.clear();
    }
  });

  it('share names the shared drive that a permission comes from', async () => {
    const driveId = await drive().files.addSharedDrive('Team B');
    const file = await drive().files.add({ name: 'team.txt', parent: driveId });
    await grant({ type: 'user', role: 'writer', emailAddress: ANN }, driveId);
    failed(await run({ ...user, action: 'remove' }, { payload: file }), 'conflict', '“Team B”');
  });

  it('share gives the roles of shared drives only there', async () => {
    const driveId = await drive().files.addSharedDrive('Team');
    const inner = await drive().files.addFolder('inner', driveId);
    const file = await drive().files.add({ name: 'team.txt', parent: inner });
    for (const [role, payload] of [
      ['organizer', id],
      ['organizer', inner],
      ['fileOrganizer', id],
      ['fileOrganizer', folder],
      ['fileOrganizer', file],
    ] as const) {
      failed(await run({ ...user, role }, { payload }), 'invalid_input', `“${role}”`);
    }
    writes().should.be.empty();
    passed(await run({ ...user, role: 'fileOrganizer' }, { payload: inner }));
    (await access(inner)).should.containEql(`fileOrganizer ${ANN}`);
    passed(await run({ ...user, role: 'organizer' }, { payload: driveId }));
    (await access(driveId)).should.containEql(`organizer ${ANN}`);
  });

  it('share does not change the access of the owner', async () => {
    const { emailAddress } = (await permissionsOf()).find(({ role }) => role === 'owner')!;
    for (const action of ['share', 'remove']) {
      failed(await run({ with: 'user', action }, { to: emailAddress }), 'conflict', emailAddress!);
    }
    writes().should.be.empty();
  });

  it('share reports a missing file and a refusal', async () => {
    for (const service of ['google', 'custom'] as const) {
      for (const action of ['share', 'list', 'remove'])
        failed(await run({ action }, { payload: 'missing' }, { service }), 'not_found');
    }
    drive().faults.add({
      kind: 'error',
      reason: 'insufficientFilePermissions',
      match: { path: /permissions/ },
    });
    failed(await run({}), 'permission_denied');
  });

  const rejected: [string, object, Record<string, unknown>, string][] = [
    ['a missing file', {}, { payload: undefined }, 'file (msg.payload)'],
    ['a missing address', { with: 'user' }, {}, 'to (msg.to)'],
    ['an address without domain', { with: 'user' }, { to: 'ann' }, 'to (msg.to)'],
    ['two addresses', { with: 'group' }, { to: `${ANN}, b@example.com` }, 'to (msg.to)'],
    ['an array of addresses', { with: 'user' }, { to: [ANN] }, 'to (msg.to)'],
    ['an address to remove that is empty', { with: 'user', action: 'remove' }, { to: '' }, 'to (msg.to)'],
    ['an address as a domain', { with: 'domain' }, { to: ANN }, 'to (msg.to)'],
    ['a URL as a domain', { with: 'domain' }, { to: 'https://example.com' }, 'to (msg.to)'],
    ['an unknown role', { role: 'owner' }, {}, 'role'],
    ['an unknown action', { action: 'burn' }, {}, 'action'],
    ['an unknown grantee', { with: 'everyone' }, {}, 'with'],
    ['a link for organizers', { role: 'organizer' }, {}, '“organizer”'],
    ['a link that expires', { expires: '7 days' }, {}, 'expires'],
    ['a domain that expires', { with: 'domain', expires: '7 days' }, { to: 'example.com' }, 'expires'],
    ['an expiration in the past', { with: 'user', expires: '2020-01-01' }, { to: ANN }, "'2020-01-01'"],
    [
      'an expiration after more than a year',
      { with: 'user', expires: '13 months' },
      { to: ANN },
      "'13 months'",
    ],
    ['an expiration that is no time', { with: 'user', expires: 'soon' }, { to: ANN }, 'expires'],
  ];
  for (const [description, more, msg, words] of rejected) {
    it(`share rejects ${description} without any request`, async () => {
      failed(await run(more, msg), 'invalid_input', words);
      fileRequests(drive()).should.be.empty();
    });
  }

  it('share says that a service without permissions cannot share', () =>
    withMinimalService(async (service) => {
      const node = { id: 'n', type: 'cloud-drive-share', account: 'mine' };
      const flow = await load([node, minimalAccount(service)], { credentials: MINE });
      const payload = service.add({ name: 'a.txt', content: 'x' });
      failed(await flow.run('n', { payload }), 'bad_response', "can't be shared");
      await helper.unload();
    }));
});
