/** File ids with a checksum, so that the service recognizes its own. */
import { createHash, randomBytes } from 'node:crypto';

const CHECK_LENGTH = 6;

/** A new file id. It ends with a checksum, so that generated ids need not be stored. */
export function newFileId(): string {
  const base = `1${randomBytes(20).toString('base64url')}`;
  return base + checksumOf(base);
}

/** Whether an id came from generateIds; Google Drive creates files with no other ids. */
export function isGeneratedId(id: string): boolean {
  return checksumOf(id.slice(0, -CHECK_LENGTH)) === id.slice(-CHECK_LENGTH);
}

function checksumOf(base: string): string {
  return createHash('sha256').update(`id:${base}`).digest('base64url').slice(0, CHECK_LENGTH);
}
