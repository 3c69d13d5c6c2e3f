/** The result of a soak test: a table and a list of problems. */
import { textTable } from '../support/text-table';

/** Bytes after garbage collection. */
export interface Memory {
  heapUsed: number;
  rss: number;
}

export interface SoakResult {
  messages: number;
  inFlight: number;
  /** Seconds. */
  tokenLifetime: number;
  /** Milliseconds. */
  duration: number;
  /** Samples at regular intervals. */
  memory: Memory[];
  /** Messages with an unexpected output. */
  wrongOutputs: string[];
  unfinished: number;
  finishedTwice: number;
  errors: string[];
  /** Lines logged after the start. */
  logged: string[];
  maxConnections: number;
  /** Times of the token requests in milliseconds since 1970. */
  refreshes: number[];
  /** Times of all other requests. */
  calls: number[];
  /** Number of 401 responses. */
  unauthorized: number;
}

/** Maximum number of sockets of an account. */
const MAX_CONNECTIONS = 16;
/** A token is refreshed after this part of its lifetime. */
const RENEWAL_FRACTION = 0.9;
/** Maximum milliseconds between a token response and the next request with the token. */
const IN_FLIGHT = 500;
/**
 * Maximum growth in bytes between the means of the second and the last quarter of the samples; the first is warm-up.
 * With 20,000 messages, a leak of 50 bytes per message is detected.
 */
const MAX_GROWTH = { heapUsed: 500_000, rss: 15_000_000 };
/** Shorter runs consist of warm-up only. */
const MIN_MESSAGES = 10_000;

/** @returns descriptions of all problems */
export function problemsOf(soak: SoakResult): string[] {
  const { wrongOutputs, errors, unfinished, finishedTwice, logged, maxConnections } = soak;
  const { min, max, early } = expiries(soak);
  const refreshes = soak.refreshes.length - 1;
  return [
    ...wrongOutputs.slice(0, 5).map((what) => `wrong output: ${what}`),
    ...errors.slice(0, 5).map((what) => `error: ${what}`),
    ...(unfinished > 0 ? [`${unfinished} messages never finished`] : []),
    ...(finishedTwice > 0 ? [`${finishedTwice} messages finished more than once`] : []),
    ...logged.slice(0, 5).map((line) => `logged: ${line}`),
    ...(maxConnections > MAX_CONNECTIONS ? [`${maxConnections} connections`] : []),
    ...(early > 0 ? [`${early} tokens were refreshed too early`] : []),
    ...(refreshes < min || refreshes > max ? [`${refreshes} refreshes for ${max} expiries`] : []),
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
    ['messages never finished', soak.unfinished],
    ['messages finished more than once', soak.finishedTwice],
    ['errors', soak.errors.length],
    ['wrong outputs', soak.wrongOutputs.length],
    ['lines logged', soak.logged.length],
    ['maximum connections', soak.maxConnections],
    ['token lifetime, s', tokenLifetime],
    ['expired tokens', expiries(soak).max],
    ['refreshes after the first', refreshes.length - 1],
    ['401 responses', soak.unauthorized],
    ...(['heapUsed', 'rss'] as const).map((name): [string, string] => [
      `${name} by quarters, MB`,
      quarters(memory, name)
        .map((bytes) => (bytes / 1e6).toFixed(2))
        .join(' '),
    ]),
  ];
  return textTable(rows).join('\n');
}

/**
 * The number of tokens that expired during the run. No request may have followed the last expiry, so there is a minimum
 * and a maximum. `early` is the number of premature refreshes.
 */
function expiries({ refreshes, calls, tokenLifetime }: SoakResult): {
  min: number;
  max: number;
  early: number;
} {
  const lifetime = tokenLifetime * 1_000 * RENEWAL_FRACTION;
  const end = Math.max(...calls.slice(-100));
  const before = (time: number): number => refreshes.filter((at) => at + lifetime < time).length;
  const early = refreshes.filter(
    (at, index) => index > 0 && at - (refreshes[index - 1] ?? 0) < lifetime,
  ).length;
  return { min: before(end - IN_FLIGHT), max: before(end), early };
}

function memoryGrowth({ messages, memory }: SoakResult, name: keyof Memory): string[] {
  const [, second = 0, , last = 0] = quarters(memory, name);
  if (messages < MIN_MESSAGES || last - second <= MAX_GROWTH[name]) return [];
  return [`${name} grew from ${second} to ${last} bytes`];
}

/** The mean of each quarter of the samples. */
function quarters(memory: readonly Memory[], name: keyof Memory): number[] {
  const quarter = Math.floor(memory.length / 4);
  return [0, 1, 2, 3].map((at) => {
    const part = memory.slice(at * quarter, at === 3 ? undefined : (at + 1) * quarter);
    return part.reduce((sum, each) => sum + each[name], 0) / part.length;
  });
}
