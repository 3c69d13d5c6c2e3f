/** Files of a plan in buffers. */
import 'should';
import { PackedFiles } from '../../../src/sync/packed-files';
import { type SyncFile, SyncFolder } from '../../../src/sync/sync-folder';

describe('PackedFiles', () => {
  const top = new SyncFolder(undefined, '');
  const remote = { id: 'id-1', size: 7, time: 1_700_000_000_123, checksum: '\0\xff\x80', isDocument: false };
  const nothing = { size: undefined, time: undefined, checksum: undefined };
  const files: SyncFile[] = [
    { folder: top, name: 'é 漢字 😀', local: { size: 0, mtimeMs: 1.5 }, remote: undefined, isRenamed: false },
    { folder: top, name: 'a', local: undefined, remote, isRenamed: true },
    {
      folder: top,
      name: '',
      local: { size: 2 ** 40, mtimeMs: -1 },
      remote: { ...remote, ...nothing, id: 'é 漢字' },
      isRenamed: false,
    },
    {
      folder: top,
      name: 'x'.repeat(255),
      local: undefined,
      remote: { ...remote, isDocument: true },
      isRenamed: false,
    },
  ];

  it('PackedFiles returns the files that were added', () => {
    const packed = new PackedFiles();
    // More than fit into one buffer.
    for (let index = 0; index < 3_000; index++)
      packed.push({ ...files[index % 4]!, folder: new SyncFolder(top, `${index}`) });
    packed.length.should.equal(3_000);
    for (const index of [0, 1, 2, 3, 1_001, 2_999]) {
      const { folder, ...file } = packed.at(index);
      folder.name.should.equal(`${index}`);
      ({ folder: top, ...file }).should.eql(files[index % 4]);
    }
    [...packed].length.should.equal(3_000);
  });

  it('PackedFiles knows sizes without reading a file', () => {
    const packed = new PackedFiles();
    for (const file of files) packed.push(file);
    [0, 1, 2, 3].map((index) => packed.sizeAt(index, 'local')).should.eql([0, 0, 2 ** 40, 0]);
    [0, 1, 2, 3].map((index) => packed.sizeAt(index, 'remote')).should.eql([0, 7, 0, 7]);
  });
});
