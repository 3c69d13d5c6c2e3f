/** The retention rules of a node: its properties `keepNewest` to `minimum`. */
import { type RetentionRules } from '../../../src/index';
import { RETENTION_DEFAULTS } from '../contract/retention-defaults';
import type { Inputs } from './inputs';

export function readRetentionRules(inputs: Inputs): RetentionRules {
  const whole = (property: string): number => inputs.wholeNumber(property);
  return {
    keepNewest: whole('keepNewest'),
    keepDays: inputs.nonNegative('keepDays'),
    daily: whole('daily'),
    weekly: whole('weekly'),
    monthly: whole('monthly'),
    yearly: whole('yearly'),
    // An empty one means its default, because 0 would allow all files to be removed.
    minimum: inputs.isEmpty('minimum') ? Number(RETENTION_DEFAULTS.minimum) : whole('minimum'),
  };
}
