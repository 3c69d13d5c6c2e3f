/** The retention rules of a node: its properties `keepNewest` to `minimum`. */
import { type RetentionRules } from '../../../src/index';
import type { Inputs } from './inputs';

/** An empty `minimum` means its default, because 0 would allow all files to be removed. */
const DEFAULT_MINIMUM = 1;

export function readRetentionRules(inputs: Inputs): RetentionRules {
  const whole = (property: string): number => inputs.wholeNumber(property);
  return {
    keepNewest: whole('keepNewest'),
    keepDays: inputs.nonNegative('keepDays'),
    daily: whole('daily'),
    weekly: whole('weekly'),
    monthly: whole('monthly'),
    yearly: whole('yearly'),
    minimum: inputs.isEmpty('minimum') ? DEFAULT_MINIMUM : whole('minimum'),
  };
}
