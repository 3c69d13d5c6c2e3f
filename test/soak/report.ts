/** What a soak has come to: a table, and what of it is not as it has to be. */

/** Bytes, after everything that can be given up has been. */
export interface Memory {
  heapUsed: number;
  rss: number;
}

export interface SoakResult {
  messages: number;
  inFlight: number;
  /** s */
  tokenLifetime: number;
  /** ms */
  duration: number;
  /** Evenly over the run. */
  memory: Memory[];
  /** Outputs that were not what they should have been. */
  wrongOutputs: string[];
  unfinished: number;
  finishedTwice: number;
  errors: string[];
  /** Lines that were logged after the start. */
  logged: string[];
  mostConnections: number;
  /** When the drive got each request for a token, ms since 1970. */
  refreshes: number[];
  /** The same of all other requests. */
  calls: number[];
  /** Requests that were answered 401. */
  unauthorized: number;
}

/** As many sockets as an account keeps. */
const MAX_CONNECTIONS = 16;
/** A token is renewed when this part of its life is over. */
const RENEWAL_FRACTION = 0.9;
/** ms between the drive's answer with a token and the next request with it, at the very end of a soak. */
const IN_FLIGHT = 500;
/**
 * Memory is flat if the mean of the last quarter of the samples is at most this much above that of the second, the first
 * being warm-up. Of 20,000 messages there are 10,000 from the one to the other: 50 bytes kept of each would be found.
 */
const MAX_GROWTH = { heapUsed: 500_000, rss: 15_000_000 };
/** With fewer messages all is warm-up. */
const MIN_MESSAGES = 10_000;

/** @returns what is not as it has to be; nothing where all is well */
export function problemsOf(soak: SoakResult): string[] {
  const { wrongOutputs, errors, unfinished, finishedTwice, logged, mostConnections } = soak;
  const { least, most, early } = expiries(soak);
  const refreshes = soak.refreshes.length - 1;
  return [
    ...wrongOutputs.slice(0, 5).map((what) => `a wrong output: ${what}`),
    ...errors.slice(0, 5).map((what) => `an error: ${what}`),
    ...(unfinished > 0 ? [`${unfinished} messages never ended`] : []),
    ...(finishedTwice > 0 ? [`${finishedTwice} messages ended more than once`] : []),
    ...logged.slice(0, 5).map((line) => `logged: ${line}`),
    ...(mostConnections > MAX_CONNECTIONS ? [`${mostConnections} connections`] : []),
    ...(early > 0 ? [`${early} tokens were renewed before they were due`] : []),
    ...(refreshes < least || refreshes > most ? [`${refreshes} refreshes for ${most} expiries`] : []),
    ...(['heapUsed', 'rss'] as const).flatMap((name) => memoryGrowth(soak, name)),
  ];
}

export function soakTable(soak: SoakResult): string {
  const { messages, inFlight, tokenLifetime, duration, memory, refreshes, calls } = soak;
  const rows: [string, string | number][] = [
    ['messages', messages],
    ['in flight', inFlight],
    ['seconds', (duration / 1_000).toFixed(1)],
    ['messages a second', Math.round((messages * 1_000) / duration)],
    ['requests', calls.length],
    ['messages without an ending', soak.unfinished],
    ['messages ended more than once', soak.finishedTwice],
    ['errors', soak.errors.length],
    ['wrong outputs', soak.wrongOutputs.length],
    ['lines logged', soak.logged.length],
    ['most connections', soak.mostConnections],
    ['life of a token, s', tokenLifetime],
    ['tokens that came due', expiries(soak).most],
    ['refreshes after the first', refreshes.length - 1],
    ['requests answered 401', soak.unauthorized],
    ...(['heapUsed', 'rss'] as const).map((name): [string, string] => [
      `${name} by quarters, MB`,
      quarters(memory, name)
        .map((bytes) => (bytes / 1e6).toFixed(2))
        .join(' '),
    ]),
  ];
  return rows.map(([name, value]) => `${name.padEnd(30)} ${value}`).join('\n');
}

/**
 * How many tokens came due while there were calls. The last may have come due so late that no call was left to renew it.
 * `early`: how many were renewed sooner.
 */
function expiries({ refreshes, calls, tokenLifetime }: SoakResult): {
  least: number;
  most: number;
  early: number;
} {
  const life = tokenLifetime * 1_000 * RENEWAL_FRACTION;
  const end = Math.max(...calls.slice(-100));
  const before = (time: number): number => refreshes.filter((at) => at + life < time).length;
  const early = refreshes.filter((at, index) => index > 0 && at - (refreshes[index - 1] ?? 0) < life).length;
  return { least: before(end - IN_FLIGHT), most: before(end), early };
}

function memoryGrowth({ messages, memory }: SoakResult, name: keyof Memory): string[] {
  const [, second = 0, , last = 0] = quarters(memory, name);
  if (messages < MIN_MESSAGES || last - second <= MAX_GROWTH[name]) return [];
  return [`${name} grew from ${second} to ${last} bytes`];
}

/** Means. */
function quarters(memory: readonly Memory[], name: keyof Memory): number[] {
  const quarter = Math.floor(memory.length / 4);
  return [0, 1, 2, 3].map((at) => {
    const part = memory.slice(at * quarter, at === 3 ? undefined : (at + 1) * quarter);
    return part.reduce((sum, each) => sum + each[name], 0) / part.length;
  });
}
