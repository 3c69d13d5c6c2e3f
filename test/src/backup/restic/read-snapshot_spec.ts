/** Walks through trees that refer to each other. The jobs that do so are tested in test/src/backup/read-snapshots_spec.ts. */
import should from 'should';
import { BlobIndex } from '../../../../src/backup/restic/blob-index';
import { idOf } from '../../../../src/backup/restic/crypto';
import { SnapshotReader, TreeReader } from '../../../../src/backup/restic/read-snapshot';
import { type SnapshotNode, treeBlob } from '../../../../src/backup/restic/tree';
import type { StoredEntry } from '../../../../src/backup/entries/entry';

type Trees = ConstructorParameters<typeof TreeReader>[0];

describe('the walk through a snapshot', () => {
  const times = { mtime: 0n, atime: 0n, ctime: 0n };
  const common = { ...times, mode: 0o755, uid: 0, gid: 0, inode: 0, deviceId: 0, size: 0, links: 0 };
  const folder = (name: string, subtree: string): SnapshotNode => ({ ...common, name, type: 'dir', subtree });
  const index = new BlobIndex();
  const blobs = new Map<string, Buffer>();
  const repository = {
    tree: (_index: BlobIndex, id: string) => Promise.resolve(blobs.get(id)),
    locate: (...[from, id, isTree]: [BlobIndex, string, boolean]) => from.find(id, isTree),
  } as unknown as Trees;
  const reader = new TreeReader(repository, index);

  function store(nodes: readonly SnapshotNode[]): string {
    const blob = treeBlob(nodes);
    const id = idOf(blob);
    blobs.set(id, blob);
    index.add({ id, isTree: true, offset: 0, length: blob.length }, 'f'.repeat(64));
    return id;
  }

  async function count(tree: string): Promise<number> {
    let entries = 0;
    for await (const each of reader.walk({ tree, paths: [] })) entries += each.path === '' ? 0 : 1;
    return entries;
  }

  it('ends with an error if five trees stand for thousands of folders', async () => {
    // The limit is one of bytes, so that it takes fewer visits of a large tree to exceed it.
    const content = Array<string>(200).fill(idOf(Buffer.from('x')));
    const names = Array.from('abcdefgh');
    let tree = store([{ ...common, name: 'a', type: 'file', content }]);
    for (let depth = 0; depth < 4; depth++) tree = store(names.map((name) => folder(name, tree)));
    const error = await count(tree).then(
      (entries) => should.fail(entries, 0, 'no error', ''),
      (each: unknown) => each,
    );
    should(error).have.properties({ code: 'bad_response', text: 'bad_response_repository_file' });
    should(error).have.propertyByPath('params', 'reason').eql('repeated');
    should(error)
      .have.propertyByPath('params', 'file')
      .match(/^[a-h](\/[a-h])*$/);
  });

  it('visits each of many empty folders, and of copies that consist of hard links', async () => {
    const linked = { inode: 1, deviceId: 1, size: 4, links: 500, content: [] };
    const file = { ...common, ...linked, type: 'file' as const };
    const files = Array.from({ length: 100 }, (_, name) => ({ ...file, name: String(name + 100) }));
    const copy = store(files);
    const empty = store([]);
    const names = Array.from({ length: 500 }, (_, name) => String(name).padStart(4, '0'));
    const copies = store(names.map((name) => folder(name, copy)));
    const many = store(names.map((name) => folder(name, empty)));
    (await count(store([folder('copies', copies), folder('many', many)]))).should.equal(2 + 500 * 101 + 500);
  });

  it('gives every entry to the visitor, also if it reads no content', async () => {
    const content = ['first', 'second'].map((text) => {
      const id = idOf(Buffer.from(text));
      index.add({ id, isTree: false, offset: 0, length: 40 }, 'e'.repeat(64));
      return id;
    });
    const file = { ...common, type: 'file', content } as const;
    const tree = store([{ ...file, name: 'a' }, { ...file, name: 'b' }, folder('c', store([]))]);
    const options = { isSelected: () => true, needsContent: true, onFetched: () => undefined };
    const visited: StoredEntry[] = [];
    await new SnapshotReader(reader, options).read({ tree, paths: [] }, (entry) => {
      visited.push(entry);
      return Promise.resolve(0);
    });
    visited
      .map(({ name, type, size }) => [name, type, size])
      .should.eql([
        ['a', 'file', 16],
        ['b', 'file', 16],
        ['c', 'folder', 0],
      ]);
  });
});
