/**
 * Where each blob of a repository is. Millions of blobs fit in memory: a hash table with open addressing whose entries are
 * 48 bytes in a typed array.
 */
import { randomInt } from 'node:crypto';
import { type PackedBlob, entrySize, headerSize } from './pack';

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

/** A blob, and the ID of the pack that contains it. */
export interface LocatedBlob extends PackedBlob {
  pack: string;
}

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

  /** Adds a blob that isn't yet known in this pack. */
  add(blob: PackedBlob, pack: string): void {
    const packNumber = this.numberOf(pack);
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

  /** @returns the first of the packs that contain the blob */
  find(id: string, isTree: boolean): LocatedBlob | undefined {
    readId(id, this.wanted);
    const entry = this.search((each) => isTree === this.isTree(each));
    return entry === undefined ? undefined : this.blobAt(entry);
  }

  has(id: string, isTree: boolean): boolean {
    readId(id, this.wanted);
    return this.search((each) => isTree === this.isTree(each)) !== undefined;
  }

  /** Yields all blobs, in the order in which they were added. */
  [Symbol.iterator](): Generator<LocatedBlob> {
    return this.from(0);
  }

  /** @param start how many of the first blobs are left out */
  *from(start: number): Generator<LocatedBlob> {
    for (let number = start; number < this.count; number++) yield this.blobAt(number * WORDS);
  }

  private numberOf(pack: string): number {
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
    const pack = this.packIds[(entries[entry + PACK] as number) & ~TREE_BIT] as string;
    const offset = entries[entry + OFFSET] as number;
    const length = entries[entry + LENGTH] as number;
    const blob = { id, isTree: this.isTree(entry), pack, offset, length };
    const plain = entries[entry + PLAIN] as number;
    return plain === 0 ? blob : { ...blob, uncompressedLength: plain - 1 };
  }

  private isTree(entry: number): boolean {
    return ((this.entries[entry + PACK] as number) & TREE_BIT) !== 0;
  }

  /** @returns where the first entry starts that has the wanted ID and is accepted */
  private search(accept: (entry: number) => boolean): number | undefined {
    const { slots, entries, wanted } = this;
    for (let slot = this.slotOf(wanted, 0); slots[slot] !== 0; slot = (slot + 1) % slots.length) {
      const entry = ((slots[slot] as number) - 1) * WORDS;
      let word = 0;
      while (word < ID_WORDS && entries[entry + word] === wanted[word]) word++;
      if (word === ID_WORDS && accept(entry)) return entry;
    }
    return undefined;
  }

  /** Enters an entry into the table, behind those with the same ID. */
  private link(number: number): void {
    const { slots } = this;
    let slot = this.slotOf(this.entries, number * WORDS);
    while (slots[slot] !== 0) slot = (slot + 1) % slots.length;
    slots[slot] = number + 1;
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
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let number = 0; number < this.count; number++) this.link(number);
  }
}

function readId(id: string, words: Uint32Array): void {
  Buffer.from(words.buffer).write(id, 'hex');
}
