/**
 * Keys with one value each, such as paths, of which only hashes are stored, so that 200,000 take 6 MiB. Among as many,
 * two different keys have the same hash with a probability of one to a billion.
 */
export class HashedPairs {
  /** For each pair two numbers for the key and one for the value; 0 where there is none. */
  private slots = new Uint32Array(3 * 1_024);
  private count = 0;

  /** @returns false if the key has another value */
  add(key: string, value: string): boolean {
    if (4 * this.count >= this.slots.length) this.grow();
    const [first, second] = hash(key);
    const [, own] = hash(value);
    const slot = this.find(first, second);
    if (this.slots[slot] === first) return this.slots[slot + 2] === own;
    this.slots.set([first, second, own], slot);
    this.count += 1;
    return true;
  }

  has(key: string): boolean {
    const [first, second] = hash(key);
    return this.slots[this.find(first, second)] === first;
  }

  /** @returns the position of the key, or of the free slot for it */
  private find(first: number, second: number): number {
    const { slots } = this;
    let slot = 3 * (second % (slots.length / 3));
    while (slots[slot] !== 0 && (slots[slot] !== first || slots[slot + 1] !== second))
      slot = (slot + 3) % slots.length;
    return slot;
  }

  private grow(): void {
    const old = this.slots;
    this.slots = new Uint32Array(2 * old.length);
    for (let slot = 0; slot < old.length; slot += 3) {
      const [first = 0, second = 0, value = 0] = old.subarray(slot, slot + 3);
      if (first !== 0) this.slots.set([first, second, value], this.find(first, second));
    }
  }
}

/**
 * Two hashes in one pass: Node's own take ten times as long for short texts.
 * @returns 63 bits; the first number isn't 0
 */
function hash(text: string): [number, number] {
  let [first, second] = [0x811c9dc5, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x9e3779b1);
    second = Math.imul(second ^ code, 0x5f356495);
    // Without these, the upper bits would never change the lower ones.
    first ^= first >>> 15;
    second ^= second >>> 13;
  }
  return [(first | 1) >>> 0, second >>> 0];
}
