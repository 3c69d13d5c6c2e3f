/** Sends requests from a child process: receives messages of type {@link ChildRun} and sends the outcomes of each. */
import { inspect } from 'node:util';
import { DriveError } from '../../../src/errors';
import { HttpClient } from '../../../src/http/client';
import { readAll } from '../../../src/http/json';
import { transportError } from '../../../src/http/transport-error';

export interface ChildRun {
  urls: string[];
  /** The environment variables for proxies. */
  proxies?: Record<string, string>;
  timeout?: number;
  /** Sends all requests at once instead of one after the other. */
  isConcurrent?: boolean;
}

export type ChildOutcome =
  | { status: number; body: string }
  | { code: string; text: string; reason?: string; retryable: boolean; inspected: string };

async function get(http: HttpClient, url: string): Promise<ChildOutcome> {
  try {
    const response = await http.send({ method: 'GET', url, headers: { Authorization: 'Bearer CANARY' } });
    try {
      return { status: response.status, body: (await readAll(response.body, 1e6)).toString() };
    } catch (error) {
      throw transportError(error, undefined, response.body);
    }
  } catch (error) {
    if (!(error instanceof DriveError)) throw error;
    const { code, text, reason, retryable } = error;
    return { code, text, ...(reason ? { reason } : {}), retryable, inspected: inspect(error, { depth: 10 }) };
  }
}

async function outcomesOf({
  urls,
  proxies = {},
  timeout = 5_000,
  isConcurrent,
}: ChildRun): Promise<ChildOutcome[]> {
  for (const name of Object.keys(process.env)) if (/_proxy$/i.test(name)) delete process.env[name];
  Object.assign(process.env, proxies);
  const http = new HttpClient({ timeout });
  const outcomes: ChildOutcome[] = [];
  if (isConcurrent) outcomes.push(...(await Promise.all(urls.map((url) => get(http, url)))));
  else for (const url of urls) outcomes.push(await get(http, url));
  http.close();
  return outcomes;
}

process.on('message', (run: ChildRun) => void outcomesOf(run).then((outcomes) => process.send?.(outcomes)));
// A connection that a proxy leaves without a response would keep the process running.
process.on('disconnect', () => process.exit());
