/** The request engine under test. */
import { HttpClient } from '../../../src/http/client';
import { type EngineOptions, RequestEngine } from '../../../src/http/engine';
import { fixedTokens } from './client';
import { FakeClock } from '../clock';

export interface TestEngine {
  engine: RequestEngine;
  http: HttpClient;
  clock: FakeClock;
}

/** The request engine alone, of a service on this machine. */
export function engineOf(baseUrl: string, options: Partial<EngineOptions> = {}): TestEngine {
  const clock = new FakeClock();
  const http = new HttpClient({ timeout: 5_000 });
  const service = { kind: 'google' as const, baseUrl, uploadUrl: baseUrl, folderMimeType: '', driveId: '' };
  const engine = new RequestEngine({
    http,
    service,
    tokens: fixedTokens,
    clock,
    random: () => 0.5,
    retryFor: 60_000,
    requestsPerSecond: 1_000,
    ...options,
  });
  return { engine, http, clock };
}
