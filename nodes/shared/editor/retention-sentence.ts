/**
 * Describes the retention rules in a dialog as a sentence: “Keeps the 3 newest and 7 daily files; moves the others to
 * the trash.” Pure.
 */
import { isReference } from '../contract/values';
import type { SharedTextKey } from './shared-text-key';

/** The values of the fields, by property; `''` means the default. */
export type RetentionFields = Readonly<Record<(typeof RETENTION_FIELDS)[number], string>>;

export interface SentenceOptions {
  /** Language of the texts, a BCP 47 tag: it determines plurals, lists and numbers. */
  language: string;
  /** @returns a text of the account's catalogue */
  text: (key: SharedTextKey, params?: Record<string, string>) => string;
  /** What happens to the other files. */
  mode: 'trash' | 'permanent';
  isDryRun: boolean;
  /** The sentence for fields without a rule. */
  withoutRules: string;
  /** The texts for what is kept: `retention` for files. */
  group?: 'retention' | 'snapshots';
}

/** A number, or a reference to an environment variable, of which only the name is known. */
interface Count {
  number: number;
  shown: string;
}

export const RETENTION_FIELDS = [
  'keepNewest',
  'daily',
  'weekly',
  'monthly',
  'yearly',
  'keepDays',
  'minimum',
] as const;

/** Rules that keep a number of files, with the names of their texts. */
const COUNTED = {
  keepNewest: 'newest',
  daily: 'daily',
  weekly: 'weekly',
  monthly: 'monthly',
  yearly: 'yearly',
} as const;

/** @returns the sentence, in the language of the texts */
export function retentionSentence(fields: RetentionFields, options: SentenceOptions): string {
  const { text, mode, isDryRun, withoutRules, group = 'retention' } = options;
  const counts = RETENTION_FIELDS.map((property) => readCount(fields[property], property, options));
  if (counts.includes(undefined)) return text('retention.invalid');
  const files = keptFiles(
    new Map(RETENTION_FIELDS.map((property, index) => [property, counts[index]!])),
    options,
  );
  if (files === '') return withoutRules;
  if (mode === 'permanent')
    return text(isDryRun ? 'retention.permanent_dry_run' : `${group}.permanent`, { files });
  return text(isDryRun ? 'retention.trash_dry_run' : `${group}.trash`, { files });
}

/** @returns undefined for an invalid value */
function readCount(value: string, property: string, { language }: SentenceOptions): Count | undefined {
  if (isReference(value)) return { number: NaN, shown: value.trim() };
  const number = value.trim() === '' ? Number(property === 'minimum') : Number(value);
  const isValid = number >= 0 && (property === 'keepDays' || Number.isInteger(number));
  return isValid ? { number, shown: number.toLocaleString(language) } : undefined;
}

/** @returns “the 3 newest and 7 daily files”; `''` without rules */
function keptFiles(
  counts: ReadonlyMap<string, Count>,
  { language, text, group = 'retention' }: SentenceOptions,
): string {
  const plural = new Intl.PluralRules(language);
  const list = new Intl.ListFormat(language, { type: 'conjunction' });
  const isOne = ({ number }: Count): boolean => plural.select(number) === 'one';
  const isSet = (count: Count | undefined): count is Count => count !== undefined && count.number !== 0;

  const phrases: string[] = [];
  let last: Count | undefined;
  for (const [property, rule] of Object.entries(COUNTED)) {
    const count = counts.get(property);
    if (!isSet(count)) continue;
    const key = `${group}.${rule}_${isOne(count) ? 'one' : 'other'}` as const;
    phrases.push(text(key, { count: count.shown }));
    last = count;
  }
  const days = counts.get('keepDays');
  if (isSet(days)) {
    phrases.push(text(isOne(days) ? `${group}.days_one` : `${group}.days_other`, { count: days.shown }));
  } else if (!last) {
    return '';
  }
  const rules = list.format(phrases);
  // The phrase of `keepDays` contains the noun already.
  const files =
    isSet(days) || !last
      ? rules
      : text(isOne(last) ? `${group}.files_one` : `${group}.files_other`, { rules });
  const minimum = counts.get('minimum');
  if (!isSet(minimum) || minimum.number <= keptAnyway(counts)) return files;
  const key = `${group}.minimum_${isOne(minimum) ? 'one' : 'other'}` as const;
  return text(key, { files, count: minimum.shown });
}

/** How many of the newest files the other rules keep in any case, if there are that many. */
function keptAnyway(counts: ReadonlyMap<string, Count>): number {
  // A reference counts as 1.
  const numberOf = (rule: string): number =>
    counts.get(rule)?.number || Number(counts.get(rule)?.number !== 0);
  const periods = ['daily', 'weekly', 'monthly', 'yearly'].map((rule) => Math.min(numberOf(rule), 1));
  return Math.max(numberOf('keepNewest'), ...periods);
}
