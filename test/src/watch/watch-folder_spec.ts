/** Watches of a folder, with and without its subfolders. https://developers.google.com/workspace/drive/api/guides/manage-changes */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { startLocalDrive } from '../../local-drive';
import { createTestClient } from '../../support/client/test-client';
import { CHANGE_EVENTS, type Service, type Watch } from '../../../src';
import { startMinimalService } from '../../local-drive/minimal-service';
import { fileRequests } from '../../support/node-red/flow-drive';
import { poll, watchFixture } from './watch-fixture';

describe('Watch of a folder', () => {
  const fixture = watchFixture();
  let folder: string;
  let inner: string;
  let elsewhere: string;
  beforeEach(async () => {
    folder = await fixture.drive.files.addFolder('watched');
    inner = await fixture.drive.files.addFolder('inner', folder);
    elsewhere = await fixture.drive.files.addFolder('elsewhere');
  });
  const move = (id: string, from: string, to: string) =>
    fixture.change(id, {}, { addParents: to, removeParents: from });

  it('a watch of a folder emits changes of its direct children, and moves into and out of it', async () => {
    const file = await fixture.drive.files.add({ name: 'f', parent: folder });
    const other = await fixture.drive.files.add({ name: 'o', parent: elsewhere });
    const { watch } = await fixture.started({ folderId: folder });
    await fixture.drive.files.add({ name: 'deep', parent: inner });
    await fixture.change(other, { name: 'o2' });
    (await poll(watch)).events.should.eql([]);
    await move(file, folder, elsewhere);
    await move(other, elsewhere, folder);
    (await poll(watch)).events.sort().should.eql(['moved f', 'moved o2']);
    await fixture.change(file, { name: 'f2' });
    await fixture.remove(other);
    (await poll(watch)).events.should.eql(['removed o2']);
  });

  for (const [clock, days] of [
    ['this machine has the right time', 0],
    ['the clock of this machine is a year behind', -365],
    ['the clock of this machine is a year ahead', 365],
  ] as const) {
    it(`a watch of a folder emits created only for files that were created in it, if ${clock}`, async () => {
      fixture.clock.jump(days * 86_400_000);
      const old = await fixture.drive.files.add({ name: 'old', parent: elsewhere });
      const { watch } = await fixture.started({ folderId: folder });
      const other = await fixture.drive.files.add({ name: 'other', parent: elsewhere });
      await fixture.drive.files.add({ name: 'own', parent: folder });
      (await poll(watch)).events.should.eql(['created own']);
      await move(old, elsewhere, folder);
      await move(other, elsewhere, folder);
      (await poll(watch)).events.should.eql(['moved old', 'moved other']);
      fixture.clock.jump(-days * 86_400_000);
    });
  }

  it('a watch of a folder ignores removals outside it', async () => {
    const other = await fixture.drive.files.add({ name: 'o', parent: elsewhere });
    const { watch } = await fixture.started({ folderId: folder });
    await fixture.remove(other);
    (await poll(watch)).events.should.eql([]);
  });

  it('a recursive watch follows its subfolders when they are moved in or out', async () => {
    const { watch } = await fixture.started({ folderId: folder, recursive: true });
    const deep = await fixture.drive.files.addFolder('deep', inner);
    await fixture.drive.files.add({ name: 'f', parent: deep });
    const apart = await fixture.drive.files.addFolder('apart', elsewhere);
    await fixture.drive.files.add({ name: 'not', parent: apart });
    (await poll(watch)).events.should.eql(['created deep', 'created f']);
    await move(deep, inner, elsewhere);
    (await poll(watch)).events.should.eql(['moved deep']);
    await fixture.drive.files.add({ name: 'gone', parent: deep });
    await move(apart, elsewhere, folder);
    (await poll(watch)).events.should.eql(['moved apart']);
    await fixture.drive.files.add({ name: 'here', parent: apart });
    (await poll(watch)).events.should.eql(['created here']);
  });

  it('a recursive watch requests each unknown folder once', async () => {
    const deep = await fixture.drive.files.addFolder('deep', elsewhere);
    const { watch } = await fixture.started({ folderId: folder, recursive: true });
    fixture.drive.requests.clear();
    for (let turn = 0; turn < 3; turn++) {
      await fixture.drive.files.add({ name: 'f', parent: deep });
      (await poll(watch)).events.should.eql([]);
    }
    const requests = fileRequests(fixture.drive).filter((each) => each.includes('/files/'));
    // The folder, its parent, and the root.
    requests.length.should.equal(3);
  });

  it('a recursive watch emits the removal of all files of a removed subfolder, also after a restart', async () => {
    const options = { folderId: folder, recursive: true };
    const { state } = await fixture.started(options);
    for (const name of ['a', 'b']) await fixture.drive.files.add({ name, parent: inner });
    const before = await poll(fixture.watch(options, state));
    await fixture.remove(inner);
    const after = await poll(fixture.watch(options, before.state));
    after.events.sort().should.eql(['removed a', 'removed b', 'removed inner']);
  });

  it('a watch of the root accepts its alias', async () => {
    const { watch } = await fixture.started({ folderId: 'root' });
    await fixture.drive.files.add({ name: 'top' });
    await fixture.drive.files.add({ name: 'below', parent: folder });
    (await poll(watch)).events.should.eql(['created top']);
  });

  for (const [description, end] of [
    ['is deleted', (id: string) => fixture.remove(id)],
    ['is trashed', (id: string) => fixture.change(id, { trashed: true })],
  ] as const) {
    it(`a watch fails with not_found when its folder ${description}`, async () => {
      const { watch, state } = await fixture.started({ folderId: folder });
      await end(folder);
      await poll(watch).should.be.rejectedWith({ code: 'not_found' });
      await poll(fixture.watch({ folderId: folder }, state)).should.be.rejectedWith({ code: 'not_found' });
    });
  }

  it('a watch continues when its folder is restored', async () => {
    const { state } = await fixture.started({ folderId: folder });
    await fixture.change(folder, { trashed: true });
    await fixture.change(folder, { trashed: false });
    await fixture.drive.files.add({ name: 'f', parent: folder });
    (await poll(fixture.watch({ folderId: folder }, state))).events.should.eql(['created f']);
  });

  it('a watch loses no change if a page fails in the middle', async () => {
    const options = { folderId: folder, recursive: true };
    const { state } = await fixture.started(options);
    await fixture.drive.files.add({ name: 'f', parent: folder });
    const unknown = await fixture.drive.files.addFolder('unknown', elsewhere);
    await fixture.drive.files.add({ name: 'g', parent: unknown });
    fixture.drive.faults.add({
      kind: 'error',
      reason: 'forbidden',
      match: { path: new RegExp(`files/${elsewhere}`) },
    });
    const watch = fixture.watch(options, state);
    await poll(watch).should.be.rejectedWith({ code: 'permission_denied' });
    (await poll(watch)).events.should.eql(['created f']);
  });
});

describe('Watch requests', () => {
  const fixture = watchFixture();

  it('a watch includes shared drives', async () => {
    const { watch } = await fixture.started();
    await poll(watch);
    const [token, , list] = fileRequests(fixture.drive).filter((each) => each.includes('/changes'));
    should(token).containEql('supportsAllDrives=true');
    should(list).containEql('supportsAllDrives=true').and.containEql('includeItemsFromAllDrives=true');
    should(list).containEql('includeRemoved=true').and.containEql('spaces=drive');
  });

  /** Watches another drive, with the service of an account. */
  async function watchAt(url: string, service: Partial<Service>, work: (watch: Watch) => Promise<void>) {
    const testClient = createTestClient(url, { service });
    const options = { folderId: '', recursive: false, events: CHANGE_EVENTS, start: 'now' } as const;
    await work(testClient.client.watch(options, undefined));
    testClient.close();
  }

  it('a watch sends the shared drive of the account', async () => {
    await watchAt(fixture.drive.url, { driveId: '0ADRIVE' }, (watch) =>
      poll(watch).should.be.rejectedWith({ code: 'not_found' }),
    );
    const [requests] = fileRequests(fixture.drive).filter((each) => each.includes('/changes'));
    should(requests).containEql('driveId=0ADRIVE');
  });

  it('a watch fails with not_configured if the service has no change feed', async () => {
    const minimal = await startMinimalService({ token: 'access-token' });
    await watchAt(minimal.url, { can: CAPABILITIES.custom }, (watch) =>
      poll(watch).should.be.rejectedWith({ code: 'not_configured', text: 'not_configured_no_changes' }),
    );
    await minimal.close();
  });

  it('a watch works with a custom service that has a change feed', async () => {
    await watchAt(fixture.drive.url, { can: CAPABILITIES.custom }, async (watch) => {
      await poll(watch);
      await fixture.drive.files.add({ name: 'f' });
      (await poll(watch)).events.should.eql(['created f']);
    });
  });

  it('a watch uses the app data folder if the scope allows nothing else', async () => {
    const scope = 'https://www.googleapis.com/auth/drive.appdata';
    const drive = await startLocalDrive({ token: 'access-token', scope });
    await watchAt(drive.url, { space: 'appDataFolder', driveId: '0ADRIVE' }, async (watch) => {
      await poll(watch);
      await drive.files.add({ name: 'hidden', parent: 'appDataFolder' });
      await drive.files.add({ name: 'elsewhere' });
      (await poll(watch)).events.should.eql(['created hidden']);
    });
    await drive.close();
  });

  const bad: [string, object][] = [
    ['a response without changes', { newStartPageToken: '5' }],
    ['a response without a page token', { changes: [] }],
    ['a change that is null', { newStartPageToken: '5', changes: [null] }],
    ['a change without a file id', { newStartPageToken: '5', changes: [{ removed: true }] }],
    ['a malformed file', { newStartPageToken: '5', changes: [{ fileId: 'a', file: { id: 'a', size: 5 } }] }],
  ];
  for (const [description, body] of bad) {
    it(`a watch rejects ${description}`, async () => {
      const { watch } = await fixture.started();
      fixture.drive.faults.add({ kind: 'response', match: { path: /changes$/ }, body });
      await poll(watch).should.be.rejectedWith({ code: 'bad_response' });
    });
  }

  describe('with page tokens that form a cycle', () => {
    const pageTokenError = { code: 'bad_response', text: 'bad_response_page_token' };
    /** The next pages of the drive, by their `nextPageToken`. */
    const returnPages = (...tokens: (string | undefined)[]): void => {
      tokens.forEach((nextPageToken, index) => {
        const match = { path: /changes$/, nth: index + 1 };
        fixture.drive.faults.add({ kind: 'response', match, body: { nextPageToken, changes: [] } });
      });
    };

    it('a watch rejects a cycle of one page and of two pages', async () => {
      const { watch } = await fixture.started();
      const token = /pageToken=(\d+)/.exec(fileRequests(fixture.drive).join())?.[1];
      returnPages(token);
      await poll(watch).should.be.rejectedWith(pageTokenError);
      returnPages('900', token);
      await poll(watch).should.be.rejectedWith(pageTokenError);
    });

    it('a watch rejects a cycle while it starts', async () => {
      const body = { startPageToken: '900' };
      fixture.drive.faults.add({ kind: 'response', match: { path: /startPageToken$/ }, body });
      returnPages('901', '902', '901');
      await poll(fixture.watch()).should.be.rejectedWith(pageTokenError);
    });
  });

  it('a watch ignores changes of a shared drive itself', async () => {
    const { watch } = await fixture.started();
    const changes = [{ changeType: 'drive', driveId: 'd', removed: false }];
    const body = { newStartPageToken: '1', changes };
    fixture.drive.faults.add({ kind: 'response', match: { path: /changes$/ }, body });
    (await poll(watch)).events.should.eql([]);
  });
});
