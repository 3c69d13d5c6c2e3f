/**
 * Trees: the JSON that lists a folder. https://restic.readthedocs.io/en/stable/100_references.html#trees-and-data
 * A folder may contain hundreds of thousands of nodes, so they are read one by one.
 */
import { type JsonObject, isNumber, isString, tryParse } from '../../core/validator';
import { JsonReader, damagedFile, formatTime, isCount, isId, isStrings, parseTime } from './json-file';
import { decodePath, encodePath, isUtf8 } from '../../fs/path-bytes';

export type NodeType = 'file' | 'dir' | 'symlink' | 'dev' | 'chardev' | 'fifo' | 'socket' | 'irregular';

export interface SnapshotNode {
  /** Written as in path-bytes.ts. Never empty, `.`, `..` or with a slash. */
  name: string;
  type: NodeType;
  /** Permissions, as from `lstat`: up to 0o7777. */
  mode: number;
  /** Nanoseconds since 1970, as are the next two. */
  mtime: bigint;
  atime: bigint;
  ctime: bigint;
  uid: number;
  gid: number;
  user?: string | undefined;
  group?: string | undefined;
  /** Read as numbers, which are rounded above 2^53. */
  inode: number | bigint;
  /** Of the file system, only for files with several links since restic 0.17. */
  deviceId: number | bigint;
  size: number;
  links: number;
  /** Of a symbolic link. Written as in path-bytes.ts. */
  linkTarget?: string | undefined;
  /** Of a device. */
  device?: number | undefined;
  /** IDs of the blobs of a file. */
  content?: string[] | undefined;
  /** ID of the tree of a folder. */
  subtree?: string | undefined;
}

/** Objects and arrays in a node, most of them extended attributes: each takes far more memory than bytes of JSON. */
const MAX_PARTS = 100_000;

/** Bits of Go's FileMode beside the permissions. https://pkg.go.dev/io/fs#FileMode */
const TYPE_BITS: Readonly<Record<NodeType, number>> = {
  file: 0,
  dir: 0x8000_0000,
  symlink: 0x0800_0000,
  dev: 0x0400_0000,
  chardev: 0x0420_0000,
  fifo: 0x0200_0000,
  socket: 0x0100_0000,
  irregular: 0x0008_0000,
};
/** Bits that Go moves elsewhere: set user ID, set group ID and sticky. */
const MOVED_BITS: readonly (readonly [posix: number, go: number])[] = [
  [0o4000, 0x0080_0000],
  [0o2000, 0x0040_0000],
  [0o1000, 0x0010_0000],
];
/** Which Go escapes in JSON. */
const ESCAPED_IN_JSON = /[<>&\u2028\u2029]/g;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];
/** Of a user or group: 32 bits. */
const MAX_ID = 2 ** 32 - 1;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** @param nodes in the order of {@link compareNames}. @returns the blob of a tree, as restic writes it */
export function treeBlob(nodes: Iterable<SnapshotNode>): Buffer {
  return treeOf(Array.from(nodes, nodeJson));
}

/** @param nodes from {@link nodeJson}, in the order of {@link compareNames} */
export function treeOf(nodes: readonly string[]): Buffer {
  return Buffer.from(`{"nodes":[${nodes.join()}]}\n`);
}

/** The order of the nodes in a tree: by the bytes of their names. */
export function compareNames(a: string, b: string): number {
  return Buffer.compare(encodePath(a), encodePath(b));
}

export function nodeJson(node: SnapshotNode): string {
  const { type, mode, uid, gid, user, group, size, links, linkTarget, device, content, subtree } = node;
  const target = linkTarget === undefined || isUtf8(linkTarget) ? undefined : encodePath(linkTarget);
  const [head, tail] = [
    {
      name: quoteName(node.name),
      type,
      mode: goMode(type, mode) || undefined,
      mtime: formatTime(node.mtime),
    },
    {
      size: size || undefined,
      links: links || undefined,
      linktarget: (target?.toString() ?? linkTarget) || undefined,
      linktarget_raw: target?.toString('base64'),
      device: device || undefined,
      content: content ?? null,
      subtree,
    },
  ];
  // Most often, it is the same.
  const atime = node.atime === node.mtime ? head.mtime : formatTime(node.atime);
  const times = { atime, ctime: formatTime(node.ctime) };
  const start = JSON.stringify({
    ...head,
    ...times,
    uid,
    gid,
    user: user || undefined,
    group: group || undefined,
  });
  // JSON.stringify knows no BigInt.
  const ids = [
    node.inode ? `"inode":${node.inode},` : '',
    node.deviceId ? `"device_id":${node.deviceId},` : '',
  ];
  const json = `${start.slice(0, -1)},${ids.join('')}${JSON.stringify(tail).slice(1)}`;
  return json.replace(ESCAPED_IN_JSON, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function goMode(type: NodeType, mode: number): number {
  const moved = MOVED_BITS.reduce((sum, [posix, go]) => sum + (mode & posix ? go : 0), 0);
  return TYPE_BITS[type] + moved + (mode & 0o777);
}

/** Yields the nodes of a tree. @param file for error messages. @throws `bad_response` if it is malformed */
export function* readTree(tree: Buffer, file: string): Generator<SnapshotNode> {
  for (const { node } of readNodes(tree, file)) yield node;
}

/** As {@link readTree}, with the JSON of each node, a part of the tree. */
export function* readNodes(tree: Buffer, file: string): Generator<{ node: SnapshotNode; json: Buffer }> {
  const reader = new JsonReader(file);
  const names = new Set<string>();
  for (const json of nodesIn(tree, file)) {
    const node = readNode(reader, reader.object(tryParse(json)));
    if (names.has(node.name)) throw reader.wrong('name');
    names.add(node.name);
    yield { node, json };
  }
}

/** Yields the JSON of each node, so that not all of them are in memory at once. */
function* nodesIn(tree: Buffer, file: string): Generator<Buffer> {
  const prefix = /^\s*\{\s*"nodes"\s*:\s*/.exec(tree.toString('latin1', 0, 64))?.[0];
  if (prefix === undefined) throw damagedFile(file, 'JSON: nodes');
  if (tree.toString('latin1', prefix.length, prefix.length + 4) === 'null') return;
  let depth = 0;
  let start = 0;
  let parts = 0;
  for (let index = prefix.length; index < tree.length; index++) {
    const byte = tree[index] as number;
    if (byte === QUOTE) index = endOfString(tree, index);
    else if (OPENING.includes(byte)) {
      if (depth++ === 1) [start, parts] = [index, 0];
      if (++parts > MAX_PARTS) throw damagedFile(file, 'JSON');
    } else if (CLOSING.includes(byte)) {
      depth--;
      if (depth === 1) yield tree.subarray(start, index + 1);
      if (depth === 0) return;
    }
  }
  throw damagedFile(file, 'JSON');
}

/** @returns where the closing quote is */
function endOfString(json: Buffer, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== QUOTE) index += json[index] === BACKSLASH ? 2 : 1;
  return index;
}

function readNode(reader: JsonReader, json: JsonObject): SnapshotNode {
  const type = reader.member(json, 'type', isString);
  if (!Object.hasOwn(TYPE_BITS, type)) throw reader.wrong('type');
  const node: SnapshotNode = {
    name: nameOf(reader, json),
    type: type as NodeType,
    mode: posixMode(reader.optional(json, 'mode', isCount) ?? 0),
    mtime: timeOf(reader, json, 'mtime'),
    atime: timeOf(reader, json, 'atime'),
    ctime: timeOf(reader, json, 'ctime'),
    uid: reader.optional(json, 'uid', isCount) ?? 0,
    gid: reader.optional(json, 'gid', isCount) ?? 0,
    user: reader.optional(json, 'user', isString),
    group: reader.optional(json, 'group', isString),
    // Negative in trees of earlier versions.
    inode: reader.optional(json, 'inode', isNumber) ?? 0,
    deviceId: reader.optional(json, 'device_id', isCount) ?? 0,
    size: reader.optional(json, 'size', isCount) ?? 0,
    links: reader.optional(json, 'links', isCount) ?? 0,
    linkTarget: linkTargetOf(reader, json),
    device: reader.optional(json, 'device', isCount),
    content: reader.optional(json, 'content', isStrings),
    subtree: reader.optional(json, 'subtree', isId),
  };
  if (node.content?.every(isId) === false) throw reader.wrong('content');
  if (type === 'dir' && node.subtree === undefined) throw reader.wrong('subtree');
  return node;
}

/** @returns the member with a number that no system can have, and that Node.js doesn't accept */
export function outOfRange({ uid, gid, size }: SnapshotNode): 'uid' | 'gid' | 'size' | undefined {
  if (uid > MAX_ID) return 'uid';
  if (gid > MAX_ID) return 'gid';
  return Number.isSafeInteger(size) ? undefined : 'size';
}

function nameOf(reader: JsonReader, json: JsonObject): string {
  const name = unquoteName(reader.member(json, 'name', isString));
  // Such a name would lead out of its folder.
  if (name === undefined || /^\.{0,2}$|[/\0]/.test(name)) throw reader.wrong('name');
  return name;
}

function timeOf(reader: JsonReader, json: JsonObject, name: string): bigint {
  const text = reader.optional(json, name, isString);
  const time = text === undefined ? 0n : parseTime(text);
  if (time === undefined) throw reader.wrong(name);
  return time;
}

function linkTargetOf(reader: JsonReader, json: JsonObject): string | undefined {
  const raw = reader.optional(json, 'linktarget_raw', isString);
  const target = reader.optional(json, 'linktarget', isString);
  if (raw === undefined) return target?.replace(LONE_SURROGATES, '\ufffd');
  return decodePath(Buffer.from(raw, 'base64'));
}

function posixMode(mode: number): number {
  return MOVED_BITS.reduce((sum, [posix, go]) => sum + (mode & go ? posix : 0), mode & 0o777);
}

const SIMPLE: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', '"': '"' },
};
const LETTERS = new Map(Object.entries(SIMPLE).map(([letter, char]) => [char, letter]));
/** Characters that aren't escaped: unicode.IsPrint without quote and backslash. */
const UNQUOTED = /^(?:(?!["\\])[\p{L}\p{M}\p{N}\p{P}\p{S} ])*$/u;
/** Names with none of these mean what they are. JSON may contain half a surrogate pair, which isn't a character. */
const NEEDS_UNQUOTING = /["\\\n\p{Cs}]/u;
const LONE_SURROGATES = /\p{Cs}/gu;
const TOKEN =
  /\\(?:([abfnrtv\\"])|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))|([^"\\\n])/uy;

/** @param name written as in path-bytes.ts */
export function quoteName(name: string): string {
  return UNQUOTED.test(name) ? name : Array.from(name, quoteCharacter).join('');
}

function quoteCharacter(char: string): string {
  const letter = LETTERS.get(char);
  if (letter !== undefined) return `\\${letter}`;
  if (UNQUOTED.test(char)) return char;
  const code = char.codePointAt(0) as number;
  // A byte that isn't UTF-8, as in path-bytes.ts.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code & 0xff, 2)}`;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** @returns the name, written as in path-bytes.ts; undefined if it isn't quoted correctly */
export function unquoteName(quoted: string): string | undefined {
  if (!NEEDS_UNQUOTING.test(quoted)) return quoted;
  const parts: Buffer[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < quoted.length) {
    const match = TOKEN.exec(quoted);
    const bytes = match === null ? undefined : bytesOf(match);
    if (bytes === undefined) return undefined;
    parts.push(bytes);
  }
  return decodePath(Buffer.concat(parts));
}

function bytesOf([, letter, byte, octal, short, long, char]: RegExpExecArray): Buffer | undefined {
  if (letter !== undefined) return Buffer.from(SIMPLE[letter] ?? '');
  if (byte !== undefined) return Buffer.of(parseInt(byte, 16));
  if (octal !== undefined) return Buffer.of(parseInt(octal, 8));
  // Half a surrogate pair becomes U+FFFD here, as it does in Go's JSON.
  if (char !== undefined) return Buffer.from(char);
  const code = parseInt(short ?? long ?? '', 16);
  const isCharacter = code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? Buffer.from(String.fromCodePoint(code)) : undefined;
}
