/**
 * Sends requests from a child process with the environment of a test and prints their outcomes as a JSON array.
 * Argument: JSON of a {@link ChildRun}.
 */
import { inspect } from 'node:util';
import { DriveError } from '../../../src/errors';
import { HttpClient } from '../../../src/http/client';
import { readAll } from '../../../src/http/json';
import { transportError } from '../../../src/http/transport-error';

export interface ChildRun {
  urls: string[];
  timeout?: number;
  /** Sends all requests at once instead of one after the other. */
  isConcurrent?: boolean;
}

export type ChildOutcome =
  | { status: number; body: string }
  | { code: string; text: string; reason?: string; retryable: boolean; inspected: string };

const run = JSON.parse(process.argv[2] ?? '') as ChildRun;
const http = new HttpClient({ timeout: run.timeout ?? 5_000 });

async function get(url: string): Promise<ChildOutcome> {
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

async function main(): Promise<void> {
  const outcomes: ChildOutcome[] = [];
  if (run.isConcurrent) outcomes.push(...(await Promise.all(run.urls.map(get))));
  else for (const url of run.urls) outcomes.push(await get(url));
  http.close();
  process.stdout.write(JSON.stringify(outcomes));
}

void main();
