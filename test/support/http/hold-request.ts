import type { FaultMatch, LocalDrive } from '../../local-drive';

/** Holds the first request that matches; by default, the first upload of a file. */
export function holdRequest(
  { faults }: LocalDrive,
  match: FaultMatch = { path: /upload/ },
): { release: () => void; reached: Promise<void> } {
  let [release, reach] = [(): void => undefined, (): void => undefined];
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const until = (): Promise<void> => (reach(), released);
  faults.add({ kind: 'delay', until, times: 1, match });
  return { release, reached };
}
