import fc from 'fast-check';

/** The same cases each time; another seed by `PROPERTY_SEED`. A failure names it, with the smallest case. */
const seed = Number(process.env['PROPERTY_SEED'] ?? 20_240_517);

export function checkProperty<T>(property: fc.IProperty<T>, numRuns = 300): void {
  fc.assert(property, { seed, numRuns });
}

export function checkAsyncProperty<T>(property: fc.IAsyncProperty<T>, numRuns = 100): Promise<void> {
  return fc.assert(property, { seed, numRuns });
}
