import { createHash } from 'node:crypto';
import should from 'should';
import { Semaphore } from '../../../src/core/semaphore';
import { DriveStore } from '../../../src/backup/drive-store';
import type { FileType } from '../../../src/backup/restic/store';
import { driveFixture } from '../../support/client/drive-fixture';
import { rejected } from '../../support/client/rejected';
import { uploadContext } from '../../support/client/stream-fixture';
import { bytes } from '../../support/content';
import { withoutRestic } from '../../support/snapshots/restic-oracle';

describe('DriveStore', () => {
  const fixture = driveFixture();
  let folderId: string;
  let store: DriveStore;

  beforeEach(async () => {
    withoutRestic('its files aren’t encrypted');
    folderId = await fixture.drive.files.addFolder('Repository');
    for (const name of ['keys', 'snapshots', 'index', 'data'])
      await fixture.drive.files.addFolder(name, folderId);
    await fixture.drive.files.add({ name: 'config', parent: folderId, content: '' });
    store = newStore();
    await store.list(['config']);
  });

  const newStore = (): DriveStore => {
    const context = { ...uploadContext(fixture), transfers: new Semaphore(4) };
    return new DriveStore(context, { folderId, mode: 'trash' }, {});
  };

  async function write(type: FileType, content: Buffer): Promise<string> {
    const name = createHash('sha256').update(content).digest('hex');
    const memory = new ArrayBuffer(content.length + 10);
    content.copy(Buffer.from(memory));
    should(await store.save(type, name, memory, content.length)).equal(memory);
    return name;
  }

  it('creates each folder once, although several packs are written at once', async () => {
    const contents: Buffer[] = [];
    for (let seed = 1; contents.length < 4; seed++) {
      const content = bytes(100, seed);
      if (createHash('sha256').update(content).digest()[0]! < 0x20) contents.push(content);
    }
    const names = await Promise.all(contents.map((content) => write('data', content)));
    const { files } = fixture.drive;
    const data = files.in(folderId).filter(({ name }) => name === 'data');
    data.should.have.length(1);
    const parts = files.names(data[0]!.id);
    new Set(parts).size.should.equal(parts.length);
    const other = newStore();
    await other.list(['config', 'locks']);
    const listed = await other.list(['data']);
    listed
      .map(({ name }) => name)
      .sort()
      .should.eql(names.sort());
  });

  it('reads a range, also where the service sends the whole file, or less than the file should have', async () => {
    const content = bytes(1_000);
    const name = await write('data', content);
    const range = { start: 100, end: 300 };
    (await store.load('data', name, range)).equals(content.subarray(100, 300)).should.be.true();
    const whole = { kind: 'response', status: 200, body: 'x'.repeat(100) + 'y'.repeat(200) + 'z' } as const;
    fixture.drive.faults.add({ ...whole, match: { query: /alt=media/ } });
    (await store.load('data', name, range)).toString().should.equal('y'.repeat(200));
    (await store.load('data', name, { start: 900, end: 2_000 }))
      .equals(content.subarray(900))
      .should.be.true();
  });

  it('writes no file into the trash without an error, also if only a folder above it is there', async () => {
    await write('data', bytes(100));
    const data = fixture.drive.files.in(folderId).find(({ name }) => name === 'data') as { trashed: boolean };
    data.trashed = true;
    await rejected(write('data', bytes(100, 2)), 'conflict', 'conflict_repository_trashed');
    data.trashed = false;
    await write('data', bytes(100, 2));
  });

  it('finds a part of the packs elsewhere among 20,000 that are missing, with few requests', async () => {
    const names = Array.from({ length: 20_000 }, (_, number) =>
      createHash('sha256').update(String(number)).digest('hex'),
    );
    fixture.drive.requests.clear();
    await store.checkMoved('data', names);
    fixture.drive.requests.all.length.should.be.within(1, 150);
    const parent = await fixture.drive.files.addFolder('ab');
    for (const name of names.filter((each) => each.startsWith('ab')))
      await fixture.drive.files.add({ name, parent, content: '' });
    await rejected(store.checkMoved('data', names), 'conflict', 'conflict_repository_trashed');
  });
});
