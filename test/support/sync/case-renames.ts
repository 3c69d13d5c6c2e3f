/** Random renames in case on either side, between synchronizations with a disk that ignores case. */
import 'should';
import fc from 'fast-check';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { type SyncRequest, type SyncResult, isDriveError } from '../../../src/index';
import { useMountedDisk } from '../mounted-disk';
import { checkAsyncProperty } from '../property';
import { syncFixture } from './sync-fixture';
import { readDisk, readDrive, writeDrive } from './trees';

/** Contents of one size, so that only names and checksums differ. */
const TREE = { abc: '1', 'folder/abc': '2', 'folder/def': '3', 'folder/inner/abc': '4', 'empty/': '' };

interface Step {
  action: 'renameOnDrive' | 'renameOnDisk' | 'add' | 'sync';
  /** Selects the file or folder. */
  which: number;
  /** The letters that are upper case. */
  bits: number;
  request: Pick<SyncRequest, 'direction' | 'extra'>;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record<Step>({
    action: fc.constantFrom(
      ...(['renameOnDrive', 'renameOnDrive', 'renameOnDisk', 'renameOnDisk', 'add'] as const),
      ...(['sync', 'sync', 'sync', 'sync'] as const),
    ),
    which: fc.nat(20),
    bits: fc.nat(7),
    request: fc.record({
      direction: fc.constantFrom<SyncRequest['direction']>('up', 'down'),
      extra: fc.constantFrom<SyncRequest['extra']>('keep', 'delete'),
    }),
  }),
  { minLength: 3, maxLength: 12 },
);

/** @param runs number of sequences */
export function testCaseRenames(runs: number): void {
  const disk = useMountedDisk('exfat');
  const fixture = syncFixture({}, disk);
  let count = 0;

  async function check(sequence: readonly Step[]): Promise<void> {
    const { drive, client } = fixture;
    const localPath = disk(`run ${count++}`);
    await mkdir(localPath);
    const folderId = await drive.files.addFolder('pair');
    const ids = Object.values(await writeDrive(drive, folderId, TREE));
    const trees = async () => [await readDisk(localPath), await readDrive(drive, folderId)] as const;
    const sync = (request: Partial<SyncRequest>) =>
      client.sync({ ...fixture.request('down'), localPath, folderId, ...request });

    async function renameOnDrive(id: string, bits: number): Promise<void> {
      const file = drive.files.find(id);
      if (!file || file.trashed) return;
      const modifiedTime = new Date(file.modifiedTime).toISOString();
      const changes = { name: inCase(file.name, bits), modifiedTime };
      await client.updateMetadata({ id, changes, fields: 'id' });
    }

    async function renameOnDisk(which: number, bits: number): Promise<void> {
      const names = await readdir(localPath, { recursive: true });
      const path = names[which % names.length];
      if (path === undefined) return;
      const [, parent = '', name = ''] = /^(.*\/)?([^/]*)$/.exec(path) ?? [];
      await rename(`${localPath}/${path}`, `${localPath}/${parent}${inCase(name, bits)}`);
    }

    async function checkSync(request: Step['request']): Promise<void> {
      const before = await trees();
      const result = await sync(request).catch((error: unknown) => error);
      const after = await trees();
      if (isDriveError(result, 'conflict')) return void after.should.eql(before);
      (result as SyncResult).should.not.have.property('error');
      const isUp = request.direction === 'up';
      const [source, destination] = isUp ? after : [after[1], after[0]];
      source.should.eql(before[isUp ? 0 : 1]);
      const found = Object.values(destination);
      const lost = Object.values(source).filter((content) => !found.includes(content));
      lost.should.eql([]);
    }

    await sync({});
    for (const { action, which, bits, request } of sequence) {
      if (action === 'renameOnDrive') await renameOnDrive(ids[which % ids.length] as string, bits);
      else if (action === 'renameOnDisk') await renameOnDisk(which, bits);
      else if (action === 'sync') await checkSync(request);
      else {
        const added = { name: inCase('abc', bits), content: String(5 + which), parent: folderId };
        // With another time, because files of equal size and time count as the same.
        await drive.files.add({ ...added, modifiedTime: 1_600_000_000_000 + which * 1_000 });
      }
    }
    await checkSync({ direction: 'down', extra: 'delete' });
    await checkSync({ direction: 'up', extra: 'delete' });
  }

  it(`no file is lost in ${runs} sequences of renames in case and synchronizations with a disk that ignores case`, () =>
    checkAsyncProperty(fc.asyncProperty(steps, check), runs));
}

function inCase(name: string, bits: number): string {
  return name
    .toLowerCase()
    .replace(/[a-z]/g, (char, index: number) => ((bits >> (index % 3)) & 1 ? char.toUpperCase() : char));
}
