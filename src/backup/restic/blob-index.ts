/**
 * Where each blob of a repository is. Millions of blobs fit in memory: a hash table with open addressing whose entries
 * are 48 bytes in a typed array.
 */
import { randomInt } from 'node:crypto';
import { type LocatedBlob, type PackedBlob, entrySize, headerSize } from './pack';

/** Entries at first; doubled when full. */
const INITIAL = 1024;
/** 32-bit numbers of an entry: the ID, then these. */
const ID_WORDS = 8;
/** Number of the pack, with the type in the highest bit. */
const PACK = ID_WORDS;
const OFFSET = PACK + 1;
const LENGTH = OFFSET + 1;
/** Length of the plaintext of a compressed blob, plus one. */
const PLAIN = LENGTH + 1;
const WORDS = PLAIN + 1;
const TREE_BIT = 0x80000000;
/** Packs in which a blob is looked for. Clients that store it at the same time make a few. */
const MAX_PLACES = 64;

export class BlobIndex {
  private entries = new Uint32Array(INITIAL * WORDS);
  /** Number of an entry plus one, by hash; 0 for none. Twice as many as there may be entries. */
  private slots = new Uint32Array(2 * INITIAL);
  private count = 0;
  private readonly packIds: string[] = [];
  private readonly packSizes: number[] = [];
  private readonly packNumbers = new Map<string, number>();
  /** Random and odd: nobody can choose IDs whose slots collide. */
  private readonly factors = Uint32Array.from({ length: ID_WORDS }, () => randomInt(2 ** 31) * 2 + 1);
  private readonly wanted = new Uint32Array(ID_WORDS);
  /** Numbers of packs that can't be used. */
  private readonly dropped = new Set<number>();
  /** Numbers of packs that are used only for what is in no other one. */
  private readonly spare = new Set<number>();

  /** Whether a blob is in so many packs that it isn't looked for in all of them. */
  isCrowded = false;

  /** IDs of packs that index files of other accounts list. */
  readonly foreign = new Set<string>();

  /** Number of blobs; one that is in several packs counts for each. */
  get size(): number {
    return this.count;
  }

  get packs(): readonly string[] {
    return this.packIds;
  }

  /** @returns bytes of the pack, if the index has all of its blobs; undefined for an unknown one */
  packSize(pack: string): number | undefined {
    return this.packSizes[this.packNumbers.get(pack) ?? -1];
  }

  /**
   * Adds a blob that isn't yet known in this pack.
   * @param isSpare whether other packs that contain it are preferred; such packs are added last
   */
  add(blob: PackedBlob, pack: string, isSpare = false): void {
    const packNumber = this.packNumber(pack);
    if (isSpare) this.spare.add(packNumber);
    readId(blob.id, this.wanted);
    const word = packNumber | (blob.isTree ? TREE_BIT : 0);
    if (this.search((entry) => this.entries[entry + PACK] === word >>> 0) !== undefined) return;
    if (this.count * WORDS === this.entries.length) this.grow();
    const entry = this.count * WORDS;
    this.entries.set(this.wanted, entry);
    const { offset, length, uncompressedLength = -1 } = blob;
    this.entries.set([word, offset, length, uncompressedLength + 1], entry + PACK);
    this.link(this.count++);
    (this.packSizes[packNumber] as number) += length + entrySize(blob);
  }

  /** Number of packs that were dropped. */
  get droppedPacks(): number {
    return this.dropped.size;
  }

  /** Leaves out packs that are damaged or missing: blobs that are in no other one become unknown. */
  drop(packs: readonly string[]): void {
    for (const pack of packs) {
      const number = this.packNumbers.get(pack);
      if (number !== undefined) this.dropped.add(number);
    }
    if (this.isCrowded) this.linkAll(this.slots.length);
  }

  isDropped(pack: string): boolean {
    return this.dropped.has(this.packNumbers.get(pack) ?? -1);
  }

  /**
   * @returns the blob in the last of the packs that contain it: it may have been stored again because another is
   * damaged
   */
  find(id: string, isTree: boolean): LocatedBlob | undefined {
    const number = this.numberOf(id, isTree);
    return number === undefined ? undefined : this.at(number);
  }

  has(id: string, isTree: boolean): boolean {
    return this.numberOf(id, isTree) !== undefined;
  }

  /** @returns the place of what {@link find} returns among all blobs, from 0 to {@link size} */
  numberOf(id: string, isTree: boolean): number | undefined {
    readId(id, this.wanted);
    const entry = this.search((each) => isTree === this.isTree(each) && this.isUsable(each));
    return entry === undefined ? undefined : entry / WORDS;
  }

  /** @returns the numbers of all places of a blob, the one of {@link find} first. Any intact one serves */
  placesOf(id: string, isTree: boolean): number[] {
    readId(id, this.wanted);
    const places: number[] = [];
    this.search((entry) => {
      if (isTree === this.isTree(entry) && this.isUsable(entry)) places.unshift(entry / WORDS);
      return false;
    });
    const isSpare = (number: number): boolean => this.spare.has(this.packNumberAt(number * WORDS));
    return [...places.filter((each) => !isSpare(each)), ...places.filter(isSpare).reverse()];
  }

  /** @returns the numbers of the blobs in a pack, by their offsets */
  byPack(): (pack: string) => number[] {
    const ends = new Uint32Array(this.packIds.length + 1);
    for (let number = 0; number < this.count; number++)
      (ends[this.packNumberAt(number * WORDS) + 1] as number)++;
    for (let pack = 1; pack < ends.length; pack++) (ends[pack] as number) += ends[pack - 1] as number;
    const starts = ends.slice();
    const numbers = new Uint32Array(this.count);
    for (let number = 0; number < this.count; number++) {
      const pack = this.packNumberAt(number * WORDS);
      numbers[ends[pack] as number] = number;
      (ends[pack] as number)++;
    }
    const offsetOf = (number: number): number => this.entries[number * WORDS + OFFSET] as number;
    return (id) => {
      const pack = this.packNumbers.get(id) ?? -1;
      const found = numbers.subarray(starts[pack] ?? 0, starts[pack + 1] ?? 0);
      return Array.from(found).sort((a, b) => offsetOf(a) - offsetOf(b));
    };
  }

  /** Yields all blobs, in the order in which they were added. */
  [Symbol.iterator](): Generator<LocatedBlob> {
    return this.from(0);
  }

  /** @param start how many of the first blobs are left out */
  *from(start: number): Generator<LocatedBlob> {
    for (let number = start; number < this.count; number++) yield this.blobAt(number * WORDS);
  }

  /** @param number below {@link size} */
  at(number: number): LocatedBlob {
    return this.blobAt(number * WORDS);
  }

  private packNumber(pack: string): number {
    const known = this.packNumbers.get(pack);
    if (known !== undefined) return known;
    const number = this.packIds.push(pack) - 1;
    this.packSizes.push(headerSize([]));
    this.packNumbers.set(pack, number);
    return number;
  }

  private blobAt(entry: number): LocatedBlob {
    const { entries } = this;
    const id = Buffer.from(entries.buffer, entry * 4, ID_WORDS * 4).toString('hex');
    const pack = this.packIds[this.packNumberAt(entry)] as string;
    const offset = entries[entry + OFFSET] as number;
    const length = entries[entry + LENGTH] as number;
    const blob = { id, isTree: this.isTree(entry), pack, offset, length };
    const plain = entries[entry + PLAIN] as number;
    return plain === 0 ? blob : { ...blob, uncompressedLength: plain - 1 };
  }

  private isTree(entry: number): boolean {
    return ((this.entries[entry + PACK] as number) & TREE_BIT) !== 0;
  }

  private packNumberAt(entry: number): number {
    return (this.entries[entry + PACK] as number) & ~TREE_BIT;
  }

  private isUsable(entry: number): boolean {
    return this.dropped.size === 0 || !this.dropped.has(this.packNumberAt(entry));
  }

  /** @returns where the last entry starts that has the wanted ID and is accepted */
  private search(accept: (entry: number) => boolean): number | undefined {
    const { slots, wanted } = this;
    let found: number | undefined;
    for (let slot = this.slotOf(wanted, 0); slots[slot] !== 0; slot = (slot + 1) % slots.length) {
      const entry = ((slots[slot] as number) - 1) * WORDS;
      if (!this.hasId(entry, wanted, 0) || !accept(entry)) continue;
      if (found === undefined || !this.spare.has(this.packNumberAt(entry))) found = entry;
    }
    return found;
  }

  /** Enters an entry into the table, behind those with the same ID. If these are too many, it is never found. */
  private link(number: number): void {
    const { slots, entries } = this;
    const start = number * WORDS;
    let places = 0;
    let slot = this.slotOf(entries, start);
    for (; slots[slot] !== 0; slot = (slot + 1) % slots.length) {
      const entry = ((slots[slot] as number) - 1) * WORDS;
      if (this.hasId(entry, entries, start) && ++places === MAX_PLACES) {
        this.isCrowded = true;
        return;
      }
    }
    slots[slot] = number + 1;
  }

  private hasId(entry: number, words: Uint32Array, start: number): boolean {
    for (let word = 0; word < ID_WORDS; word++)
      if (this.entries[entry + word] !== words[start + word]) return false;
    return true;
  }

  private slotOf(words: Uint32Array, start: number): number {
    let hash = 0;
    for (let word = 0; word < ID_WORDS; word++) {
      hash += Math.imul(words[start + word] as number, this.factors[word] as number);
    }
    // The upper bits depend on all bits of the ID.
    return (hash >>> 8) % this.slots.length;
  }

  private grow(): void {
    const entries = new Uint32Array(this.entries.length * 2);
    entries.set(this.entries);
    this.entries = entries;
    this.linkAll(this.slots.length * 2);
  }

  private linkAll(slots: number): void {
    this.slots = new Uint32Array(slots);
    this.isCrowded = false;
    for (let number = 0; number < this.count; number++) if (this.isUsable(number * WORDS)) this.link(number);
  }
}

/** Blobs of an index, by their numbers: a bit for each. */
export class BlobSet {
  private readonly bits: Uint8Array;

  constructor({ size }: Pick<BlobIndex, 'size'>) {
    this.bits = new Uint8Array(Math.ceil(size / 8));
  }

  has(number: number): boolean {
    return ((this.bits[number >> 3] as number) & (1 << (number & 7))) !== 0;
  }

  /** @returns false if it is known already */
  add(number: number): boolean {
    if (this.has(number)) return false;
    (this.bits[number >> 3] as number) |= 1 << (number & 7);
    return true;
  }
}

function readId(id: string, words: Uint32Array): void {
  Buffer.from(words.buffer).write(id, 'hex');
}
