/** A seeded random generator (mulberry32). */
export class Random {
  private state: number;

  /** @param part selects an independent sequence of the seed */
  constructor(seed: number, part = 0) {
    this.state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b)) >>> 0;
    this.fraction();
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly fraction = (): number => {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** An integer between `min` and `max`, both inclusive. */
  between(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)] as T;
  }
}
