/** Compares this machine's time with the service's, because a wrong clock would make all files look old. */

const DAY = 86_400_000;

/** Both times, for error messages. */
export interface WrongClock {
  localTime: string;
  serviceTime: string;
}

/**
 * @param local ms since 1970
 * @param service ms since 1970; undefined if unknown
 * @returns undefined unless the times are known to differ by more than a day
 */
export function findWrongClock(local: number, service: number | undefined): WrongClock | undefined {
  if (service === undefined || Math.abs(local - service) <= DAY) return undefined;
  return { localTime: describe(local), serviceTime: describe(service) };
}

/** @returns `2026-11-22 02:30 UTC` */
function describe(time: number): string {
  return `${new Date(time).toISOString().replace('T', ' ').slice(0, -8)} UTC`;
}
