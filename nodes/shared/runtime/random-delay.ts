/** A random delay, so that many machines with the same flow don't send requests in the same second. */
import { type CallOptions, systemClock } from '../../../src/index';

/**
 * @param maxSeconds 0 for none
 * @param random from 0 to 1
 * @throws `cancelled`
 */
export async function randomDelay(
  maxSeconds: number,
  { signal, onWait }: CallOptions,
  random: () => number = Math.random,
): Promise<void> {
  const ms = random() * maxSeconds * 1_000;
  if (ms === 0) return;
  onWait?.(ms);
  await systemClock.sleep(ms, signal);
}
