/**
 * Which files a watch that began with all that is there has told of and can't remember: a few characters each, so that
 * it goes on where it was interrupted, however many there are.
 */
import { createHash } from 'node:crypto';

/** Characters each: 66 bits, so that two files in a million are never the same. */
const LENGTH = 11;
/** Beyond these the first are told again: what is kept is written with each hundred that are told. */
const MOST_TOLD = 100_000;

export class EmittedIds {
  private readonly marks: Set<string>;

  /** @param kept what {@link kept} gave; anything else is nothing */
  constructor(kept?: unknown) {
    this.marks = new Set(typeof kept === 'string' ? kept.match(MARKS) : []);
  }

  has(id: string): boolean {
    return this.marks.size > 0 && this.marks.has(markOf(id));
  }

  add(id: string): void {
    if (this.marks.size < MOST_TOLD) this.marks.add(markOf(id));
  }

  clear(): void {
    this.marks.clear();
  }

  /** As JSON. */
  toJSON(): string {
    return [...this.marks].join('');
  }
}

const MARKS = new RegExp(`[\\w-]{${LENGTH}}`, 'g');

function markOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, LENGTH);
}
