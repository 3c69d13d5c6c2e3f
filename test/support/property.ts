import fc from 'fast-check';

/** Property tests with a fixed seed, or the one in `PROPERTY_SEED`. Failures report the seed and the smallest case. */
const seed = Number(process.env['PROPERTY_SEED'] ?? 20_240_517);

export function checkProperty<T>(property: fc.IProperty<T>, numRuns = 300): void {
  fc.assert(property, { seed, numRuns });
}

export function checkAsyncProperty<T>(property: fc.IAsyncProperty<T>, numRuns = 100): Promise<void> {
  return fc.assert(property, { seed, numRuns });
}
