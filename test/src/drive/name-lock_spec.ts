/** Operations on a name in a folder are serialized, also if the root is given as an alias and as an id. */
import { CAPABILITIES } from '../../../src/capabilities';
import { PLAIN_UPLOAD, driveFixture } from '../../support/client/drive-fixture';

const NAME = 'a.txt';

for (const kind of ['google', 'custom'] as const) {
  describe(`NameLock, ${kind} service`, () => {
    const fixture = driveFixture({}, { service: { can: CAPABILITIES[kind] } });
    let counter = 0;
    let name: string;

    beforeEach(() => {
      name = `${++counter} ${NAME}`;
    });

    const upload = (folderId: string, ifExists: 'skip' | 'replace' | 'rename' | 'error') =>
      fixture.client.upload({ ...PLAIN_UPLOAD, name, folderId, ifExists, content: { data: folderId } });
    const folder = (folderId: string) => fixture.client.createFolder({ name, folderId, fields: 'id' });
    const rootIds = () => ['', fixture.drive.files.rootId, 'root'];
    const twelveRootIds = () => Array.from({ length: 12 }, (_, n) => rootIds()[n % 3] ?? '');
    const filesInRoot = () =>
      fixture.drive.files.in(fixture.drive.files.rootId).filter((file) => file.name.startsWith(name));
    const rootRequests = () => fixture.drive.requests.to('GET', '/drive/v3/files/root').length;

    for (const ifExists of ['skip', 'replace', 'error'] as const) {
      it(`NameLock serializes concurrent uploads to the alias and the id of the root, with ${ifExists}, ${kind}`, async () => {
        const all = await Promise.allSettled(twelveRootIds().map((folderId) => upload(folderId, ifExists)));
        filesInRoot().length.should.equal(1);
        const created = all.filter((each) => each.status === 'fulfilled' && each.value.created);
        created.length.should.equal(1);
        rootRequests().should.equal(1);
      });
    }

    it(`NameLock serializes uploads if the id of the root comes first, ${kind}`, async () => {
      await Promise.all([...twelveRootIds()].reverse().map((folderId) => upload(folderId, 'skip')));
      filesInRoot().length.should.equal(1);
    });

    it(`NameLock serializes the creation of folders in the root, ${kind}`, async () => {
      const all = await Promise.all(twelveRootIds().map(folder));
      filesInRoot().length.should.equal(1);
      all.filter(({ created }) => created).length.should.equal(1);
      rootRequests().should.equal(1);
    });

    it(`NameLock serializes work if the id of the root is unknown, ${kind}`, async () => {
      const match = { path: /\/files\/root$/ };
      fixture.drive.faults.add({ kind: 'error', reason: 'notFound', match, times: Infinity });
      await Promise.all(twelveRootIds().map((folderId) => upload(folderId, 'skip')));
      filesInRoot().length.should.equal(1);
      await Promise.all(twelveRootIds().map(folder));
      filesInRoot().length.should.equal(2);
    });

    it(`NameLock requests the id of the root only if alias and id are used together, ${kind}`, async () => {
      const other = await fixture.drive.files.addFolder('other');
      await Promise.all(['', 'root', ''].map((folderId) => upload(folderId, 'skip')));
      await Promise.all(
        [other, fixture.drive.files.rootId, other].map((folderId) => upload(folderId, 'skip')),
      );
      for (const folderId of [...rootIds(), other]) await upload(folderId, 'replace');
      rootRequests().should.equal(0);
    });

    it(`NameLock doesn’t serialize work in the root and in another folder, ${kind}`, async () => {
      const other = await fixture.drive.files.addFolder('other');
      for (const [first, second] of [
        ['', other],
        [other, ''],
      ] as const) {
        let release = (): void => undefined;
        let arrive = (): void => undefined;
        const arrived = new Promise<void>((resolve) => (arrive = resolve));
        const gate = new Promise<void>((resolve) => (release = resolve));
        const until = () => (arrive(), gate);
        fixture.drive.faults.add({ kind: 'delay', until, match: { path: /^\/upload/ } });
        const delayed = upload(first, 'replace');
        await arrived;
        await upload(second, 'replace');
        release();
        await delayed;
      }
    });
  });
}
