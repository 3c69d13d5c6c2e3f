import should from 'should';
import { lstatSync } from 'node:fs';
import { decodePath } from '../../../../src/fs/path-bytes';
import { idOf } from '../../../../src/backup/restic/crypto';
import {
  type SnapshotNode,
  compareNames,
  nodeJson,
  quoteName,
  readTree,
  treeBlob,
  unquoteName,
} from '../../../../src/backup/restic/tree';
import { newNode } from '../../../../src/backup/restic/tree-writer';

const NODE: SnapshotNode = {
  ...{
    name: 'a',
    type: 'file',
    mode: 0o644,
    mtime: 1n,
    atime: 2n,
    ctime: 3n,
    uid: 1,
    gid: 2,
    user: 'u',
    group: 'g',
  },
  ...{ inode: 5, deviceId: 6, size: 7, links: 1, content: [idOf(Buffer.from('x'))] },
};
const LATIN_1 = decodePath(Buffer.from('caf\xe9', 'latin1'));

describe('A tree', () => {
  const nodes: Record<string, SnapshotNode> = {
    'a file': NODE,
    'a file with special permissions': { ...NODE, mode: 0o7755 },
    'an empty file': { ...NODE, size: 0, content: [] },
    'a folder': { ...NODE, type: 'dir', content: undefined, subtree: idOf(Buffer.from('t')) },
    'a symbolic link': { ...NODE, type: 'symlink', content: undefined, linkTarget: '../x <&>' },
    'a link whose target is not UTF-8': { ...NODE, type: 'symlink', content: undefined, linkTarget: LATIN_1 },
    'a device': { ...NODE, type: 'chardev', content: undefined, device: 0x103 },
    'a pipe': { ...NODE, type: 'fifo', content: undefined },
    'a name that is not UTF-8': { ...NODE, name: LATIN_1 },
    'a name with everything': { ...NODE, name: '"\\\n\x01😀\u2028' },
  };
  for (const [name, node] of Object.entries(nodes)) {
    it(`returns ${name}`, () => {
      const [read, ...rest] = readTree(treeBlob([node]), 'tree');
      rest.should.eql([]);
      for (const [key, value] of Object.entries(node)) should(read?.[key as keyof SnapshotNode]).eql(value);
    });
  }

  it('has the bytes that restic writes', () => {
    const folder: SnapshotNode = {
      ...NODE,
      name: '<é>',
      type: 'dir',
      mode: 0o755,
      content: undefined,
      subtree: 'ab',
    };
    treeBlob([{ ...folder, inode: 2n ** 63n + 1n }])
      .toString()
      .should.equal(
        '{"nodes":[{"name":"\\u003cé\\u003e","type":"dir","mode":2147484141,"mtime":"1970-01-01T00:00:00.000000001Z",' +
          '"atime":"1970-01-01T00:00:00.000000002Z","ctime":"1970-01-01T00:00:00.000000003Z","uid":1,"gid":2,' +
          '"user":"u","group":"g","inode":9223372036854775809,"device_id":6,"size":7,"links":1,"content":null,' +
          '"subtree":"ab"}]}\n',
      );
    treeBlob([]).toString().should.equal('{"nodes":[]}\n');
  });

  it('has the inodes of file systems such as mergerfs, above 2^63, which Node.js returns as negative numbers', () => {
    const stats = Object.assign(lstatSync('.', { bigint: true }), { ino: -1n, dev: -2n, nlink: 2n });
    const json = nodeJson(newNode('a', 'file', stats));
    json.should.match(/"inode":18446744073709551615,"device_id":18446744073709551614,/);
    // As earlier versions have written it.
    const [read] = readTree(Buffer.from(`{"nodes":[${json.replace(/"inode":\d+/, '"inode":-1')}]}`), 'tree');
    should(read).have.property('inode', -1);
  });

  it('has an order by the bytes of the names', () => {
    const names = ['b', 'a', '\uffee', '😀', 'é', 'aa', LATIN_1];
    names.sort(compareNames).should.eql(['a', 'aa', 'b', LATIN_1, 'é', '\uffee', '😀']);
  });

  it('is read with spaces, unknown members, and brackets in strings', () => {
    const json = ` { "nodes" : [ ${nodeJson({ ...NODE, name: ']}[{\\"' }).replace('{', '{"new":[{"x":"]\\\\"}],')} ] , "more":1}`;
    Array.from(readTree(Buffer.from(json), 'tree'), ({ name }) => name).should.eql([']}[{\\"']);
    Array.from(readTree(Buffer.from('{"nodes":null}'), 'tree')).should.eql([]);
  });

  const hostile: Record<string, object> = {
    'the name ..': { name: '..' },
    'the name .': { name: '.' },
    'an empty name': { name: '' },
    'a slash in a name': { name: 'a/b' },
    'an escaped slash in a name': { name: '\\x2fetc' },
    'NUL in a name': { name: 'a\\x00' },
    'a malformed name': { name: '\\q' },
    'an unknown type': { type: 'door' },
    'the name of a member of objects as type': { type: 'constructor' },
    'a folder without a tree': { type: 'dir' },
    'a tree that is a path': { subtree: '../x' },
    'content that is no list': { content: 'x' },
    'content that is no ID': { content: ['x'] },
    'a negative size': { size: -1 },
    'a malformed time': { mtime: 'yesterday' },
  };
  for (const [name, change] of Object.entries(hostile)) {
    it(`is refused with ${name}`, () => {
      const node = { ...(JSON.parse(nodeJson(NODE)) as object), ...change };
      refused(JSON.stringify({ nodes: [node] }));
    });
  }

  it('may have members that aren’t used, whatever they are', () => {
    const node = { ...(JSON.parse(nodeJson(NODE)) as object), extended_attributes: [1] };
    const [read] = readTree(Buffer.from(JSON.stringify({ nodes: [node] })), 'tree');
    should(read).containEql({ name: 'a' }).and.not.have.property('extended_attributes');
  });

  it('is refused with the same name twice, or as truncated or other JSON', () => {
    const node = nodeJson(NODE);
    refused(`{"nodes":[${node},${node}]}`);
    for (const json of [
      '',
      '{}',
      '[]',
      '{"nodes":5}',
      `{"nodes":[${node}`,
      `{"nodes":[{"name":"]}`,
      '{"nodes":[{]]',
    ]) {
      refused(json);
    }
  });

  function refused(json: string): void {
    (() => Array.from(readTree(Buffer.from(json), 'tree'))).should.throw({ code: 'bad_response' });
  }
});

const bytes = (hex: string): string => decodePath(Buffer.from(hex, 'hex'));

describe('Quoted names', () => {
  const quoted: Record<string, string> = {
    'plain name.txt': 'plain name.txt',
    'größe ☃ 😀': 'größe ☃ 😀',
    'a"b\\c': 'a\\"b\\\\c',
    '\x07\b\f\n\r\t\v': '\\a\\b\\f\\n\\r\\t\\v',
    '\x01\x7f': '\\x01\\x7f',
    '\u00a0\u2028\u200b': '\\u00a0\\u2028\\u200b',
    '\u{e0001}': '\\U000e0001',
    "it's": "it's",
    '\ufffd': '\ufffd',
    [bytes('e9')]: '\\xe9',
    [bytes('61e9c3a9')]: 'a\\xe9é',
    [bytes('eda080')]: '\\xed\\xa0\\x80',
  };
  for (const [name, expected] of Object.entries(quoted)) {
    it(`are written as ${expected} and read again`, () => {
      quoteName(name).should.equal(expected);
      should(unquoteName(expected)).equal(name);
    });
  }

  it('are read in all forms that Go accepts', () => {
    should(unquoteName('\\101\\x41\\u0041\\U00000041')).equal('AAAA');
    should(unquoteName('\\xc3\\xa9')).equal('é');
    should(unquoteName('\\xE9')).equal(bytes('e9'));
  });

  it('are refused where Go refuses them', () => {
    const wrong = [
      '"',
      'a\nb',
      '\\',
      '\\q',
      '\\x4',
      '\\400',
      '\\ud800',
      '\\U00110000',
      "\\'",
      '\\A',
      '\\X41',
    ];
    for (const each of wrong) should(unquoteName(each)).be.undefined();
  });

  it('contain no half of a surrogate pair, which would mean a byte', () => {
    should(unquoteName('\udce9')).equal('\ufffd');
  });
});
