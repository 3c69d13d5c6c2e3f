/** The `fields` of files: those that nodes request by default, and the check of those that a user enters. */

/** The fields of listed files, unless a node's `fields` says otherwise. */
export const FILE_FIELDS = 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents,webViewLink';
/** The fields of a file that upload, create-folder and move return. */
export const RESULT_FIELDS = 'id,name,mimeType,size,md5Checksum,parents,webViewLink';
/** The fields that the upload node sets from its own properties, so that its metadata can't contain them. */
export const RESERVED_FIELDS = ['id', 'name', 'parents', 'mimeType'] as const;

/** @returns whether each parenthesis has its counterpart, as in `id,owners(displayName)` */
export function hasBalancedParentheses(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
