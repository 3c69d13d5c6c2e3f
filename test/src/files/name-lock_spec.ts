/** Work on one name in one folder goes one after the other, also where the root has two names. */
import { PLAIN_UPLOAD, driveFixture } from '../../support/client/drive-fixture';

const NAME = 'a.txt';

for (const kind of ['google', 'custom'] as const) {
  describe(`the root under its alias and its own id, ${kind}`, () => {
    const at = driveFixture({}, { service: { kind } });
    let round = 0;
    let name: string;

    beforeEach(() => {
      name = `${++round} ${NAME}`;
    });

    const upload = (folderId: string, ifExists: 'skip' | 'replace' | 'rename' | 'error') =>
      at.client.upload({ ...PLAIN_UPLOAD, name, folderId, ifExists, content: { data: folderId } });
    const folder = (folderId: string) => at.client.createFolder({ name, folderId, fields: 'id' });
    const ways = () => ['', at.drive.files.rootId, 'root'];
    const twelve = () => Array.from({ length: 12 }, (_, n) => ways()[n % 3] ?? '');
    const made = () => at.drive.files.in(at.drive.files.rootId).filter((file) => file.name.startsWith(name));
    const asked = () => at.drive.requests.to('GET', '/drive/v3/files/root').length;

    for (const ifExists of ['skip', 'replace', 'error'] as const) {
      it(`is one place for uploads at once, with ${ifExists}`, async () => {
        const all = await Promise.allSettled(twelve().map((folderId) => upload(folderId, ifExists)));
        made().length.should.equal(1);
        const created = all.filter((each) => each.status === 'fulfilled' && each.value.created);
        created.length.should.equal(1);
        asked().should.equal(1);
      });
    }

    it('is one place for uploads that begin with its own id', async () => {
      await Promise.all([...twelve()].reverse().map((folderId) => upload(folderId, 'skip')));
      made().length.should.equal(1);
    });

    it('is one place for folders', async () => {
      const all = await Promise.all(twelve().map(folder));
      made().length.should.equal(1);
      all.filter(({ created }) => created).length.should.equal(1);
      asked().should.equal(1);
    });

    it('is one place where the service doesn’t say what its id is', async () => {
      const match = { path: /\/files\/root$/ };
      at.drive.faults.add({ kind: 'error', reason: 'notFound', match, times: Infinity });
      await Promise.all(twelve().map((folderId) => upload(folderId, 'skip')));
      made().length.should.equal(1);
      await Promise.all(twelve().map(folder));
      made().length.should.equal(2);
    });

    it('is not asked for where it makes no difference', async () => {
      const other = await at.drive.files.addFolder('other');
      await Promise.all(['', 'root', ''].map((folderId) => upload(folderId, 'skip')));
      await Promise.all([other, at.drive.files.rootId, other].map((folderId) => upload(folderId, 'skip')));
      for (const folderId of [...ways(), other]) await upload(folderId, 'replace');
      asked().should.equal(0);
    });

    it('does not wait for another folder, nor that for it', async () => {
      const other = await at.drive.files.addFolder('other');
      for (const [first, second] of [
        ['', other],
        [other, ''],
      ] as const) {
        let goOn = (): void => undefined;
        let came = (): void => undefined;
        const begun = new Promise<void>((resolve) => (came = resolve));
        const gate = new Promise<void>((resolve) => (goOn = resolve));
        const until = () => (came(), gate);
        at.drive.faults.add({ kind: 'delay', until, match: { path: /^\/upload/ } });
        const held = upload(first, 'replace');
        await begun;
        await upload(second, 'replace');
        goOn();
        await held;
      }
    });
  });
}
