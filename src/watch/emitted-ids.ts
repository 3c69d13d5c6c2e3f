/**
 * The files that a watch with `start: all` has emitted and no longer knows, so that an interrupted scan continues
 * without emitting them again. Stores a short digest of each id. What happens to changes after the scan: watch.ts.
 */
import { createHash } from 'node:crypto';

/** Base64url characters per digest: 66 bits make a collision among a million files improbable. */
const DIGEST_LENGTH = 11;
/** Limits the size of the state, which is saved with every batch. Files beyond the limit may be emitted twice. */
const MAX_EMITTED = 100_000;

export class EmittedIds {
  private readonly digests: Set<string>;

  /** @param saved the result of {@link toJSON}; other values are ignored */
  constructor(saved?: unknown) {
    this.digests = new Set(typeof saved === 'string' ? saved.match(DIGESTS) : []);
  }

  has(id: string): boolean {
    return this.digests.size > 0 && this.digests.has(shortDigest(id));
  }

  add(id: string): void {
    if (this.digests.size < MAX_EMITTED) this.digests.add(shortDigest(id));
  }

  clear(): void {
    this.digests.clear();
  }

  toJSON(): string {
    return [...this.digests].join('');
  }
}

const DIGESTS = new RegExp(`[\\w-]{${DIGEST_LENGTH}}`, 'g');

function shortDigest(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, DIGEST_LENGTH);
}
