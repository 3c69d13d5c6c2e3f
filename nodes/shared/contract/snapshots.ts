/** What snapshots require of a passphrase and of tags: checked by the dialog and by the runtime. */

/** Characters. */
export const MIN_PASSPHRASE = 8;

/** The tag that marks a snapshot as incomplete. */
export const INCOMPLETE_TAG = 'incomplete';

/** @returns the first tag that can't be used; undefined if there is none */
export function tagProblem(tags: readonly string[]): { kind: 'comma' | 'reserved'; tag: string } | undefined {
  for (const tag of tags.map((each) => each.trim())) {
    // restic separates tags by commas.
    if (tag.includes(',')) return { kind: 'comma', tag };
    if (tag === INCOMPLETE_TAG) return { kind: 'reserved', tag };
  }
  return undefined;
}
