/** Formats sizes for error messages, with at most one decimal. */

const KIB = 1_024;
const MIB = 1_024 ** 2;

/**
 * @param bytes may be fractional, as a limit of 0.1 MiB is
 * @param round `down` for a limit and `up` for a size above it, so that the two never look the same
 */
export function formatSize(bytes: number, round: 'up' | 'down'): string {
  const roundToInteger = round === 'up' ? Math.ceil : Math.floor;
  if (bytes < KIB) return `${roundToInteger(bytes)} B`;
  const [unit, name] = bytes < MIB ? [KIB, 'KiB'] : [MIB, 'MiB'];
  return `${roundToInteger((bytes * 10) / unit) / 10} ${name}`;
}
