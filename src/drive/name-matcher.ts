/**
 * Matches names in NFC: here, or by the service as far as it can. The service's own `name contains` matches only the
 * start of words, so that it doesn't find `backup-2042` by `42`: see `effectiveMatch`.
 */
import { type Context, createContext, runInContext } from 'node:vm';
import { nameContains, nameEquals } from './query';
import type { Capabilities } from '../capabilities';
import { foldName } from '../core/names';
import { errorCode } from '../errors';
import { compileGlob } from '../core/globs/path-globs';
import { checkGlob, patternError } from '../core/globs/pattern-error';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { TimeLimit } from '../core/clock';

export type MatchMode = 'anywhere' | 'exact' | 'glob' | 'regex';
/** `contains` is compared by the service. */
export type NameMatch = 'contains' | MatchMode;

interface NamePattern {
  match: MatchMode;
  /** Not empty. */
  text: string;
  /** `exact` always is. */
  caseSensitive: boolean;
  /** The node's property that the text comes from. */
  property?: string | undefined;
  /** Matches regular expressions in a thread, so that a slow one doesn't block the event loop. */
  inThread?: boolean | undefined;
}

/** Google's own `contains` misses text within words: 42 in backup-2042.tar. A folder can be listed instead. */
export function effectiveMatch(
  can: Capabilities,
  match: NameMatch = 'contains',
  folderId?: string,
): NameMatch {
  return match === 'contains' && can.containsMatchesWords && folderId !== undefined ? 'anywhere' : match;
}

/**
 * The service compares without Unicode normalization: for other modes than these it would miss files.
 *
 * @returns terms of `q`
 */
export function nameTerms(can: Capabilities, match: NameMatch, text: string): string[] {
  if (text === '') return [];
  if (match === 'contains') return [nameContains(text)];
  const isAscii = /^[\x20-\x7e]*$/.test(text);
  return match === 'exact' && can.queries && isAscii ? [nameEquals(text)] : [];
}

/** @returns for each name whether it matches. @throws `invalid_input` for a pattern that takes too long */
type NameMatcher<Result = boolean[]> = (names: readonly string[]) => Result;
type AnyNameMatcher = NameMatcher<boolean[] | Promise<boolean[]>>;

/** @throws `invalid_input` for an invalid pattern */
export function createNameMatcher(pattern: NamePattern & { inThread?: false }): NameMatcher;
export function createNameMatcher(pattern: NamePattern): AnyNameMatcher;
export function createNameMatcher({
  match,
  text,
  caseSensitive,
  property = 'pattern',
  inThread = false,
}: NamePattern): AnyNameMatcher {
  const pattern = text.normalize('NFC');
  if (match === 'exact') return (names) => names.map((name) => name.normalize('NFC') === pattern);
  if (match === 'anywhere') {
    const folded = caseSensitive ? pattern : foldName(pattern);
    return (names) =>
      names.map((name) => (caseSensitive ? name.normalize('NFC') : foldName(name)).includes(folded));
  }
  if (match === 'glob') {
    checkGlob(text, 'name', property);
    const isMatch = compileGlob(pattern, { ignoreCase: !caseSensitive });
    return (names) => names.map((name) => isMatch(name.normalize('NFC')));
  }
  const origin = { property, pattern: text };
  const expression = compile(pattern, caseSensitive ? 'u' : 'iu', origin);
  return inThread ? threadMatcher(expression, origin) : expressionMatcher(expression, origin);
}

/** For errors: the pattern as the user gave it, and the property that it comes from. */
interface Origin {
  property: string;
  pattern: string;
}

/** ms for the names of one page: outside a thread, matching blocks the event loop. */
const TIMEOUT = 500;

const TEST_ALL = 'names.map((name) => expression.test(name))';

/** Backtracking can take years; only a `vm` context can be interrupted. */
function expressionMatcher(expression: RegExp, origin: Origin): NameMatcher {
  let context: Context | undefined;
  return (names) => {
    context ??= createContext({ expression });
    context['names'] = names.map((name) => name.normalize('NFC'));
    try {
      return [...(runInContext(TEST_ALL, context, { timeout: TIMEOUT }) as boolean[])];
    } catch (error) {
      // The error belongs to the other context: it is not an instance of our Error.
      if (errorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
        throw patternError('invalid_input_pattern_slow', origin, { ms: TIMEOUT });
      }
      throw error;
    }
  };
}

function threadMatcher(expression: RegExp, origin: Origin): NameMatcher<Promise<boolean[]>> {
  return async (names) => {
    const normalized = names.map((name) => name.normalize('NFC'));
    const matches = await matchInThread(expression, normalized, TIMEOUT);
    if (!matches) throw patternError('invalid_input_pattern_slow', origin, { ms: TIMEOUT });
    return matches;
  };
}

function compile(source: string, flags: string, origin: Origin): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    // V8: `Invalid regular expression: /(/u: Unterminated group`
    const reason = (error as SyntaxError).message.replace(/^.*: /s, '');
    throw patternError('invalid_input_regex', origin, { reason });
  }
}

const CODE = `
const { parentPort, workerData: { expression, names } } = require('node:worker_threads');
parentPort.postMessage(names.map((name) => expression.test(name)));
`;
/** MiB. */
const LIMITS = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 };

/** @returns for each name whether it matches; undefined if that took longer than `timeout` ms */
async function matchInThread(
  expression: RegExp,
  names: readonly string[],
  timeout: number,
): Promise<boolean[] | undefined> {
  const worker = new Worker(CODE, { eval: true, workerData: { expression, names }, resourceLimits: LIMITS });
  try {
    const matches = once(worker, 'message') as Promise<[boolean[]]>;
    matches.catch(() => undefined);
    // A small machine takes a while to start a thread.
    await once(worker, 'online');
    return await new Promise((resolve, reject) => {
      const limit = new TimeLimit(timeout, () => resolve(undefined));
      void matches.then(([result]) => resolve(result), reject).finally(() => limit.stop());
    });
  } finally {
    await worker.terminate();
  }
}
