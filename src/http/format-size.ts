/** Sizes as people read them in an error: whole, or with one decimal. */

const KIB = 1_024;
const MIB = 1_024 ** 2;

/**
 * @param bytes may have a fraction, where a limit was one of MiB
 * @param round to the last digit shown: a limit down and what is over it up, so that they never look the same
 */
export function formatSize(bytes: number, round: 'up' | 'down'): string {
  const whole = round === 'up' ? Math.ceil : Math.floor;
  if (bytes < KIB) return `${whole(bytes)} B`;
  const [unit, name] = bytes < MIB ? [KIB, 'KiB'] : [MIB, 'MiB'];
  return `${whole((bytes * 10) / unit) / 10} ${name}`;
}
