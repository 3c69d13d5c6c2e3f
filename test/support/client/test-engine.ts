import { CAPABILITIES } from '../../../src/capabilities';
import { HttpClient } from '../../../src/http/client';
import { type EngineOptions, RequestEngine } from '../../../src/http/engine';
import { staticTokens } from './test-client';
import { FakeClock } from '../clock';

export interface TestEngine {
  engine: RequestEngine;
  http: HttpClient;
  clock: FakeClock;
}

/** Creates a request engine for a service on this machine. */
export function createTestEngine(baseUrl: string, options: Partial<EngineOptions> = {}): TestEngine {
  const clock = new FakeClock();
  const http = new HttpClient({ timeout: 5_000 });
  const service = { can: CAPABILITIES.google, baseUrl, uploadUrl: baseUrl, folderMimeType: '', driveId: '' };
  const engine = new RequestEngine({
    http,
    service,
    tokens: staticTokens,
    clock,
    random: () => 0.5,
    retryFor: 60_000,
    requestsPerSecond: 1_000,
    ...options,
  });
  return { engine, http, clock };
}
