/** A watch of a folder and of those in it. https://developers.google.com/workspace/drive/api/guides/manage-changes */
import should from 'should';
import { startLocalDrive } from '../../local-drive';
import { createTestClient } from '../../support/client/test-client';
import { CHANGE_EVENTS } from '../../../src';
import { startMinimalService } from '../../local-drive/minimal-service';
import { fileRequests } from '../../support/node-red/flow-drive';
import { heard, watchFixture } from './watch-fixture';

describe('a watch of a folder', () => {
  const at = watchFixture();
  let folder: string;
  let inner: string;
  let elsewhere: string;
  beforeEach(async () => {
    folder = await at.drive.files.addFolder('watched');
    inner = await at.drive.files.addFolder('inner', folder);
    elsewhere = await at.drive.files.addFolder('elsewhere');
  });
  const move = (id: string, from: string, to: string) =>
    at.change(id, {}, { addParents: to, removeParents: from });

  it('tells only of what is directly in it, and what comes and goes', async () => {
    const file = await at.drive.files.add({ name: 'f', parent: folder });
    const other = await at.drive.files.add({ name: 'o', parent: elsewhere });
    const { watch } = await at.begun({ folderId: folder });
    await at.drive.files.add({ name: 'deep', parent: inner });
    await at.change(other, { name: 'o2' });
    (await heard(watch)).news.should.eql([]);
    await move(file, folder, elsewhere);
    await move(other, elsewhere, folder);
    (await heard(watch)).news.sort().should.eql(['moved f', 'moved o2']);
    await at.change(file, { name: 'f2' });
    await at.remove(other);
    (await heard(watch)).news.should.eql(['removed o2']);
  });

  it('takes for new only what was made in it', async () => {
    const old = await at.drive.files.add({ name: 'old', parent: elsewhere });
    const { watch } = await at.begun({ folderId: folder });
    const other = await at.drive.files.add({ name: 'other', parent: elsewhere });
    await at.drive.files.add({ name: 'own', parent: folder });
    (await heard(watch)).news.should.eql(['created own']);
    await move(old, elsewhere, folder);
    await move(other, elsewhere, folder);
    (await heard(watch)).news.should.eql(['moved old', 'moved other']);
  });

  it('tells nothing of what is removed elsewhere', async () => {
    const other = await at.drive.files.add({ name: 'o', parent: elsewhere });
    const { watch } = await at.begun({ folderId: folder });
    await at.remove(other);
    (await heard(watch)).news.should.eql([]);
  });

  it('takes the folders inside it in, wherever they go', async () => {
    const { watch } = await at.begun({ folderId: folder, recursive: true });
    const deep = await at.drive.files.addFolder('deep', inner);
    await at.drive.files.add({ name: 'f', parent: deep });
    const apart = await at.drive.files.addFolder('apart', elsewhere);
    await at.drive.files.add({ name: 'not', parent: apart });
    (await heard(watch)).news.should.eql(['created deep', 'created f']);
    await move(deep, inner, elsewhere);
    (await heard(watch)).news.should.eql(['moved deep']);
    await at.drive.files.add({ name: 'gone', parent: deep });
    await move(apart, elsewhere, folder);
    (await heard(watch)).news.should.eql(['moved apart']);
    await at.drive.files.add({ name: 'here', parent: apart });
    (await heard(watch)).news.should.eql(['created here']);
  });

  it('asks once for each folder that it does not know', async () => {
    const deep = await at.drive.files.addFolder('deep', elsewhere);
    const { watch } = await at.begun({ folderId: folder, recursive: true });
    at.drive.requests.clear();
    for (let turn = 0; turn < 3; turn++) {
      await at.drive.files.add({ name: 'f', parent: deep });
      (await heard(watch)).news.should.eql([]);
    }
    const asked = fileRequests(at.drive).filter((each) => each.includes('/files/'));
    // The folder, the one it is in, and the root.
    asked.length.should.equal(3);
  });

  it('tells of all that goes with a folder in it, over a restart too', async () => {
    const wanted = { folderId: folder, recursive: true };
    const { state } = await at.begun(wanted);
    for (const name of ['a', 'b']) await at.drive.files.add({ name, parent: inner });
    const before = await heard(at.watch(wanted, state));
    await at.remove(inner);
    const after = await heard(at.watch(wanted, before.state));
    after.news.sort().should.eql(['removed a', 'removed b', 'removed inner']);
  });

  it('knows the root by its id', async () => {
    const { watch } = await at.begun({ folderId: 'root' });
    await at.drive.files.add({ name: 'top' });
    await at.drive.files.add({ name: 'below', parent: folder });
    (await heard(watch)).news.should.eql(['created top']);
  });

  for (const [what, end] of [
    ['deleted', (id: string) => at.remove(id)],
    ['in the trash', (id: string) => at.change(id, { trashed: true })],
  ] as const) {
    it(`ends when the folder is ${what}`, async () => {
      const { watch, state } = await at.begun({ folderId: folder });
      await end(folder);
      await heard(watch).should.be.rejectedWith({ code: 'not_found' });
      await heard(at.watch({ folderId: folder }, state)).should.be.rejectedWith({ code: 'not_found' });
    });
  }

  it('goes on where it was when the folder is back', async () => {
    const { state } = await at.begun({ folderId: folder });
    await at.change(folder, { trashed: true });
    await at.change(folder, { trashed: false });
    await at.drive.files.add({ name: 'f', parent: folder });
    (await heard(at.watch({ folderId: folder }, state))).news.should.eql(['created f']);
  });

  it('loses nothing where a page fails in the middle', async () => {
    const wanted = { folderId: folder, recursive: true };
    const { state } = await at.begun(wanted);
    await at.drive.files.add({ name: 'f', parent: folder });
    const strange = await at.drive.files.addFolder('strange', elsewhere);
    await at.drive.files.add({ name: 'g', parent: strange });
    at.drive.faults.add({
      kind: 'error',
      reason: 'forbidden',
      match: { path: new RegExp(`files/${elsewhere}`) },
    });
    const watch = at.watch(wanted, state);
    await heard(watch).should.be.rejectedWith({ code: 'permission_denied' });
    (await heard(watch)).news.should.eql(['created f']);
  });
});

describe('what a watch asks of a service', () => {
  const at = watchFixture();

  it('takes shared drives in', async () => {
    const { watch } = await at.begun();
    await heard(watch);
    const [token, , list] = fileRequests(at.drive).filter((each) => each.includes('/changes'));
    should(token).containEql('supportsAllDrives=true');
    should(list).containEql('supportsAllDrives=true').and.containEql('includeItemsFromAllDrives=true');
    should(list).containEql('includeRemoved=true').and.containEql('spaces=drive');
  });

  it('names the shared drive of the account', async () => {
    const testClient = createTestClient(at.drive.url, { service: { driveId: '0ADRIVE' } });
    const wanted = { folderId: '', recursive: false, events: CHANGE_EVENTS, start: 'now' } as const;
    await heard(testClient.client.watch(wanted, undefined)).should.be.rejectedWith({ code: 'not_found' });
    testClient.close();
    const [asked] = fileRequests(at.drive).filter((each) => each.includes('/changes'));
    should(asked).containEql('driveId=0ADRIVE');
  });

  it('says where there is no feed', async () => {
    const minimal = await startMinimalService({ token: 'access-token' });
    const testClient = createTestClient(minimal.url, { service: { kind: 'custom' } });
    const wanted = { folderId: '', recursive: false, events: CHANGE_EVENTS, start: 'now' } as const;
    const watch = testClient.client.watch(wanted, undefined);
    await heard(watch).should.be.rejectedWith({ code: 'not_configured', text: 'not_configured_no_changes' });
    testClient.close();
    await minimal.close();
  });

  it('works with a custom service that has one', async () => {
    const drive = await startLocalDrive({ token: 'access-token' });
    const testClient = createTestClient(drive.url, { service: { kind: 'custom' } });
    const wanted = { folderId: '', recursive: false, events: CHANGE_EVENTS, start: 'now' } as const;
    const watch = testClient.client.watch(wanted, undefined);
    await heard(watch);
    await drive.files.add({ name: 'f' });
    (await heard(watch)).news.should.eql(['created f']);
    testClient.close();
    await drive.close();
  });

  it('looks at the hidden folder of a client whose scope opens nothing else', async () => {
    const scope = 'https://www.googleapis.com/auth/drive.appdata';
    const drive = await startLocalDrive({ token: 'access-token', scope });
    const testClient = createTestClient(drive.url, {
      service: { space: 'appDataFolder', driveId: '0ADRIVE' },
    });
    const wanted = { folderId: '', recursive: false, events: CHANGE_EVENTS, start: 'now' } as const;
    const watch = testClient.client.watch(wanted, undefined);
    await heard(watch);
    await drive.files.add({ name: 'hidden', parent: 'appDataFolder' });
    await drive.files.add({ name: 'elsewhere' });
    (await heard(watch)).news.should.eql(['created hidden']);
    testClient.close();
    await drive.close();
  });

  const bad: [string, object][] = [
    ['no changes', { newStartPageToken: '5' }],
    ['no token', { changes: [] }],
    ['a change that is none', { newStartPageToken: '5', changes: [null] }],
    ['a change of no file', { newStartPageToken: '5', changes: [{ removed: true }] }],
    [
      'a file that is none',
      { newStartPageToken: '5', changes: [{ fileId: 'a', file: { id: 'a', size: 5 } }] },
    ],
  ];
  for (const [what, body] of bad) {
    it(`refuses ${what}`, async () => {
      const { watch } = await at.begun();
      at.drive.faults.add({ kind: 'response', match: { path: /changes$/ }, body });
      await heard(watch).should.be.rejectedWith({ code: 'bad_response' });
    });
  }

  describe('ends where the pages lead round in a circle', () => {
    const again = { code: 'bad_response', text: 'bad_response_page_token' };
    /** The pages that the drive gives out next, by the tokens behind them. */
    const leadTo = (...tokens: (string | undefined)[]): void => {
      tokens.forEach((nextPageToken, index) => {
        const match = { path: /changes$/, nth: index + 1 };
        at.drive.faults.add({ kind: 'response', match, body: { nextPageToken, changes: [] } });
      });
    };

    it('of one, and of two', async () => {
      const { watch } = await at.begun();
      const token = /pageToken=(\d+)/.exec(fileRequests(at.drive).join())?.[1];
      leadTo(token);
      await heard(watch).should.be.rejectedWith(again);
      leadTo('900', token);
      await heard(watch).should.be.rejectedWith(again);
    });

    it('while a watch begins', async () => {
      const body = { startPageToken: '900' };
      at.drive.faults.add({ kind: 'response', match: { path: /startPageToken$/ }, body });
      leadTo('901', '902', '901');
      await heard(at.watch()).should.be.rejectedWith(again);
    });
  });

  it('leaves out changes of a shared drive itself', async () => {
    const { watch } = await at.begun();
    const changes = [{ changeType: 'drive', driveId: 'd', removed: false }];
    const body = { newStartPageToken: '1', changes };
    at.drive.faults.add({ kind: 'response', match: { path: /changes$/ }, body });
    (await heard(watch)).news.should.eql([]);
  });
});
