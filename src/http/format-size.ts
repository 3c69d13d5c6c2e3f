/** Formats sizes for error messages, with at most one decimal. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/**
 * @param bytes may be fractional, as a limit of 0.1 MiB is
 * @param round `down` for a limit and `up` for a size above it, so that the two never look the same
 */
export function formatSize(bytes: number, round: 'up' | 'down'): string {
  const roundToInteger = round === 'up' ? Math.ceil : Math.floor;
  let number = roundToInteger(bytes);
  let power = 0;
  // By the rounded number: a size is never 1024 MiB.
  while (number >= 1_024 && power < UNITS.length - 1) {
    power += 1;
    number = roundToInteger((bytes * 10) / 1_024 ** power) / 10;
  }
  return `${number} ${UNITS[power]}`;
}
