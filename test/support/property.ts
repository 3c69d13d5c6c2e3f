import fc from 'fast-check';
import { runsOf } from './run/long';

/**
 * Property tests with another seed in each run, or the one in `PROPERTY_SEED`. A failure reports the seed and the smallest
 * case. Long runs try three times as many cases.
 */
const given = process.env['PROPERTY_SEED'];
const seed = given === undefined ? undefined : Number(given);

export function checkProperty<T>(property: fc.IProperty<T>, numRuns = 300): void {
  fc.assert(property, parameters(numRuns));
}

export function checkAsyncProperty<T>(property: fc.IAsyncProperty<T>, numRuns = 100): Promise<void> {
  return fc.assert(property, parameters(numRuns));
}

function parameters(numRuns: number): { seed?: number; numRuns: number } {
  return { ...(seed !== undefined && { seed }), numRuns: runsOf(numRuns, Math.ceil(numRuns / 3)) };
}
