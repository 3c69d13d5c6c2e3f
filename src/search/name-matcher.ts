/**
 * Which names match, decided here: the service's `name contains` knows only beginnings of words.
 * Names and patterns are compared in NFC.
 */
import { type Context, createContext, runInContext } from 'node:vm';
import { DriveError } from '../errors';

export type MatchMode = 'anywhere' | 'exact' | 'glob' | 'regex';

export interface NamePattern {
  match: MatchMode;
  /** Not empty: no text is every name. */
  text: string;
  /** `exact` is always in case. */
  caseSensitive: boolean;
}

/** @returns for each name whether it matches, in their order. @throws `invalid_input` for a pattern that takes too long */
export type NameMatcher = (names: readonly string[]) => boolean[];

/** @throws `invalid_input` for a pattern that is none */
export function createNameMatcher({ match, text, caseSensitive }: NamePattern): NameMatcher {
  const wanted = text.normalize('NFC');
  if (match === 'exact') return (names) => names.map((name) => name.normalize('NFC') === wanted);
  if (match === 'anywhere') {
    const folded = caseSensitive ? wanted : fold(wanted);
    return (names) => names.map((name) => fitting(name, caseSensitive).includes(folded));
  }
  const source = match === 'glob' ? globSource(wanted) : wanted;
  return expressionMatcher(source, caseSensitive ? 'u' : 'iu');
}

function fitting(name: string, caseSensitive: boolean): string {
  return caseSensitive ? name.normalize('NFC') : fold(name);
}

/** Both ways, since some letters have a single form in one case only: ß, ſ, the Kelvin sign. */
function fold(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/**
 * `*` any characters, `?` one, `[a-z]` one of these, `[!a-z]` one of the others; all else is itself. A name is taken
 * as a whole, slashes and all: on the drive they are characters like others.
 */
function globSource(glob: string): string {
  const parts = glob.match(/\[[!^]?\]?[^\]]*\]|\*+|[^]/gu) ?? [];
  return `^(?:${parts.map(globPart).join('')})$`;
}

function globPart(part: string): string {
  if (part.startsWith('*')) return '[^]*';
  if (part === '?') return '[^]';
  if (part.length < 3 || !part.startsWith('[')) return escaped(part);
  const isNegated = /^\[[!^]/.test(part);
  const members = part.slice(isNegated ? 2 : 1, -1);
  return members === '' ? escaped(part) : `[${isNegated ? '^' : ''}${members.replace(/[\\\]^[]/g, '\\$&')}]`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** ms that the names of one page may take together: a pattern that needs more would stop everything else. */
const LONGEST = 500;

const TEST_ALL = 'names.map((name) => expression.test(name))';

/** Some expressions take years for some names; only the engine itself can be stopped in the middle of one. */
function expressionMatcher(source: string, flags: string): NameMatcher {
  const expression = compiled(source, flags);
  let context: Context | undefined;
  return (names) => {
    context ??= createContext({ expression });
    context['names'] = names.map((name) => name.normalize('NFC'));
    try {
      return [...(runInContext(TEST_ALL, context, { timeout: LONGEST }) as boolean[])];
    } catch (error) {
      // An error of the other context, which is none of ours.
      if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
        throw new DriveError('invalid_input', {
          text: 'invalid_input_pattern_slow',
          params: { ms: LONGEST },
        });
      }
      throw error;
    }
  };
}

function compiled(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new DriveError('invalid_input', { text: 'invalid_input_pattern', params: { reason } });
  }
}
