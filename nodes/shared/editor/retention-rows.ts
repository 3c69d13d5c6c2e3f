/** The rows retention.html and retention-advanced.html, described by a sentence while they are edited. */
import { field, showText, whileEditing } from './fields';
import {
  RETENTION_FIELDS,
  type RetentionFields,
  type SentenceOptions,
  retentionSentence,
} from './retention-sentence';
import { sharedText } from './shared-text';

/** Shows the sentence in an element, and keeps it up to date while the fields of the dialog change. */
export function showRetentionSentence(
  element: JQuery,
  options: () => Pick<SentenceOptions, 'isDryRun' | 'withoutRules' | 'group'>,
): void {
  whileEditing(() => {
    const fields = RETENTION_FIELDS.map((property) => [property, field(property)]);
    const sentence = retentionSentence(Object.fromEntries(fields) as RetentionFields, {
      language: RED.i18n.lang(),
      text: sharedText,
      mode: field('mode') === 'permanent' ? 'permanent' : 'trash',
      ...options(),
    });
    showText(element, sentence);
  });
}
