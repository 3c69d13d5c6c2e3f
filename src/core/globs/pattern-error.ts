/** Errors of patterns. They quote the pattern, because a property may have several. */
import {
  type DriveError,
  type ErrorParams,
  type ParamsArgument,
  type TextKey,
  uncheckedError,
} from '../../errors';
import { type GlobKind, globProblem } from './glob-syntax';

const TEXTS = {
  open: 'invalid_input_pattern_open',
  range: 'invalid_input_pattern_range',
  alternatives: 'invalid_input_pattern_alternatives',
  backslash: 'invalid_input_pattern_backslash',
  impossible: 'invalid_input_pattern_impossible',
} as const;

/** A pattern may come from a message, and have any length. */
const MAX_SHOWN = 100;

/** @param property the node's property that the glob comes from. @throws `invalid_input` */
export function checkGlob(glob: string, kind: GlobKind, property: string): void {
  const found = globProblem(glob, kind);
  if (!found) return;
  const { problem, ...params } = found;
  throw uncheckedPatternError(TEXTS[problem], { property, pattern: glob }, params);
}

interface PatternOrigin {
  property: string;
  pattern: string;
}

export function patternError<Text extends TextKey>(
  text: Text,
  origin: PatternOrigin,
  ...[params]: ParamsArgument<Text, keyof PatternOrigin>
): DriveError {
  return uncheckedPatternError(text, origin, { ...params });
}

function uncheckedPatternError(
  text: TextKey,
  { property, pattern }: PatternOrigin,
  params: ErrorParams,
): DriveError {
  const shown = pattern.length > MAX_SHOWN ? `${pattern.slice(0, MAX_SHOWN)}…` : pattern;
  return uncheckedError('invalid_input', text, { property, pattern: shown, ...params });
}
