/** Ids of files, of which the service knows its own. */
import { createHash, randomBytes } from 'node:crypto';

const CHECK_LENGTH = 6;

/** A new file id. It ends in a check sum of itself, so that ids made here are known without storing them. */
export function newFileId(): string {
  const base = `1${randomBytes(20).toString('base64url')}`;
  return base + checksumOf(base);
}

/** Whether an id came from generateIds; the real service takes no others in a create. */
export function isGeneratedId(id: string): boolean {
  return checksumOf(id.slice(0, -CHECK_LENGTH)) === id.slice(-CHECK_LENGTH);
}

function checksumOf(base: string): string {
  return createHash('sha256').update(`id:${base}`).digest('base64url').slice(0, CHECK_LENGTH);
}
