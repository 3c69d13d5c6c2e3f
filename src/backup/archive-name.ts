/** Names of archives: made from a template, and recognized again. */
import { type DriveError, type ParamsArgument, type TextKey, uncheckedError } from '../errors';
import type { Calendar, WallTime } from './retention/calendar';
import { INCOMPLETE_SUFFIX } from './retention/incomplete-archive';

/** What a template stands for, apart from the time and the number. */
export interface ArchiveOrigin {
  /** `{name}`: base name of the first source. */
  name: string;
  /** `{host}` */
  host: string;
}

/** What the name of an archive says about it. */
export interface ParsedArchiveName {
  /** Undefined without `{number}`. */
  number: number | undefined;
  /** ms since 1970, midnight without `{time}`; undefined without `{date}`. */
  time: number | undefined;
  /** Whether the name has a date without a time. */
  isDay: boolean;
  /** False for `NAME.incomplete.EXT`. */
  isComplete: boolean;
}

const PLACEHOLDERS = ['{name}', '{host}', '{date}', '{time}', '{number}'];
/** A placeholder, or a brace that starts none. */
const PART = /\{[^{}]*\}?/g;
/** With the mark of an incomplete archive. */
const EXTENSION = String.raw`(?<incomplete>\.incomplete)?\.tar(?:\.gz)?(?:\.age)?`;
/** What a template can't end in: it is added, to say how to open the archive or that it is incomplete. */
const ADDED_EXTENSION = /(?:\.(?:incomplete|tar|tgz|tbz2?|txz|tzst|gz|bz2|xz|zst|age|zip|7z|rar))+\s*$/i;
/**
 * Placeholders that run into each other. Of `{name}{number}`, `cam10001` would be archive 10001 of `cam` and archive 1
 * of `cam1`; digits next to a number would do the same.
 */
const NO_SEPARATOR = /(?:\{\w+\}|\d)\{number\}|\{number\}(?:\{\w+\}|\d)|\{name\}\{host\}|\{host\}\{name\}/;
/** Characters of a template in an error message. */
const MAX_SHOWN = 100;
const DIGITS = 4;

export class ArchiveNames {
  /** Whether archives are numbered. */
  readonly isNumbered: boolean;
  private readonly pattern: RegExp;

  /**
   * @throws `invalid_input` for an empty template, an unknown placeholder, placeholders that run into each other, a
   *   slash, a control character or an extension
   */
  constructor(
    private readonly template: string,
    private readonly origin: ArchiveOrigin,
    private readonly calendar: Calendar,
  ) {
    checkTemplate(template);
    this.isNumbered = template.includes('{number}');
    this.pattern = new RegExp(`^${this.patternSource()}${EXTENSION}$`, 'u');
  }

  /** @returns the name without extension. @param time ms since 1970 */
  format(time: number, number: number, isComplete = true): string {
    const { year, month, day, hour, minute, second } = this.calendar.wallTimeOf(time);
    const values = new Map([
      ['{name}', withoutSeparators(this.origin.name)],
      ['{host}', withoutSeparators(this.origin.host)],
      ['{date}', [year, twoDigits(month), twoDigits(day)].join('-')],
      ['{time}', [hour, minute, second].map(twoDigits).join('-')],
      ['{number}', String(number).padStart(DIGITS, '0')],
    ]);
    const name = this.template.replace(PART, (placeholder) => values.get(placeholder) as string);
    return isComplete ? name : name + INCOMPLETE_SUFFIX;
  }

  /** @returns undefined for a name that the template doesn't produce for this origin */
  parse(fileName: string): ParsedArchiveName | undefined {
    const groups = this.pattern.exec(fileName.normalize('NFC'))?.groups;
    if (!groups) return undefined;
    const { date, time, number, incomplete } = groups;
    const parsedTime = date === undefined ? undefined : this.timeOf(date, time);
    if (date !== undefined && parsedTime === undefined) return undefined;
    return {
      number: number === undefined ? undefined : Number(number),
      time: parsedTime,
      isDay: date !== undefined && time === undefined,
      isComplete: incomplete === undefined,
    };
  }

  private patternSource(): string {
    const seen = new Set<string>();
    const group = (name: string, source: string): string => {
      if (seen.has(name)) return `\\k<${name}>`;
      seen.add(name);
      return `(?<${name}>${source})`;
    };
    const patterns = new Map([
      ['{name}', () => escapeRegExp(withoutSeparators(this.origin.name))],
      ['{host}', () => escapeRegExp(withoutSeparators(this.origin.host))],
      ['{date}', () => group('date', String.raw`\d{4}-\d{2}-\d{2}`)],
      ['{time}', () => group('time', String.raw`\d{2}-\d{2}-\d{2}`)],
      // More digits than a number can have exactly belong to a name of someone else.
      ['{number}', () => group('number', String.raw`\d{${DIGITS},15}`)],
    ]);
    let source = '';
    let position = 0;
    for (const { 0: placeholder, index } of this.template.matchAll(PART)) {
      const pattern = patterns.get(placeholder) as () => string;
      source += escapeRegExp(this.template.slice(position, index)) + pattern();
      position = index + placeholder.length;
    }
    return source + escapeRegExp(this.template.slice(position));
  }

  /** @returns undefined for a date that doesn't exist */
  private timeOf(date: string, time = '00-00-00'): number | undefined {
    const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
    const [hour = 0, minute = 0, second = 0] = time.split('-').map(Number);
    const wall: WallTime = { year, month, day, hour, minute, second };
    const isValid =
      new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && month >= 1 && month <= 12;
    return isValid && hour < 24 && minute < 60 && second < 60 ? this.calendar.timeOf(wall) : undefined;
  }
}

function checkTemplate(template: string): void {
  if (template.trim() === '') throw invalidTemplate('invalid_input_archive_no_name');
  if (template.includes('/')) throw invalidTemplate('invalid_input_archive_slash');
  if (/\p{Cc}/u.test(template)) throw invalidTemplate('invalid_input_archive_control');
  const placeholder = template.match(PART)?.find((part) => !PLACEHOLDERS.includes(part));
  if (placeholder !== undefined)
    throw invalidTemplate('invalid_input_archive_placeholder', {
      placeholder: placeholder.slice(0, MAX_SHOWN),
    });
  const parts = NO_SEPARATOR.exec(template)?.[0];
  if (parts !== undefined) throw invalidTemplate('invalid_input_archive_separator', { parts });
  const extension = ADDED_EXTENSION.exec(template)?.[0].trim();
  if (extension !== undefined) {
    const name = template.slice(0, MAX_SHOWN);
    throw invalidTemplate('invalid_input_archive_extension', { name, extension });
  }
}

function invalidTemplate<Text extends TextKey>(
  text: Text,
  ...[params]: ParamsArgument<Text, 'property'>
): DriveError {
  return uncheckedError('invalid_input', text, { property: 'targetName', ...params });
}

/** Names on disk may contain line breaks, or end like the name of an incomplete archive. */
function withoutSeparators(value: string): string {
  return value.replace(/[/\p{Cc}]/gu, '_').replace(/\.(?=incomplete$)/i, '_');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** For a pattern with the flag `u`. Names are compared in NFC. */
function escapeRegExp(text: string): string {
  return text.normalize('NFC').replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
