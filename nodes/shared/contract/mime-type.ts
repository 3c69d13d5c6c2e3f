/** MIME types that a user types. */

/** RFC 9110 section 8.3.1: `text/plain; charset=utf-8`. Also true for an empty text. */
export function isMimeType(text: string): boolean {
  return text.trim() === '' || /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;.*)?$/.test(text.trim());
}

/** A MIME type, or a prefix of one followed by `*`. */
export function isMimeTypePattern(text: string): boolean {
  return isMimeType(text) || /^[\w!#$&^.+-]*\/?[\w!#$&^.+-]*\*$/.test(text.trim());
}
