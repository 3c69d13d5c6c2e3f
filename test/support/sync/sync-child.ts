/**
 * Runs a synchronization in its own process, so that it can be killed or its memory measured. Arguments: the URL of the
 * drive, a file for upload sessions, and the request as JSON. Prints `{"summary", "error"?, "changes", "growth"}`: the
 * number of changes, and by how many bytes the memory has grown at most.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { CAPABILITIES } from '../../../src/capabilities';
import {
  DriveClient,
  HttpClient,
  type SessionStore,
  type SyncRequest,
  systemClock,
} from '../../../src/index';
import { staticTokens } from '../client/test-client';

const [baseUrl = '', sessionsFile = '', json = '{}'] = process.argv.slice(2);

/** Bytes per second; slow enough for a kill in the middle. */
const BANDWIDTH = 20_000_000;

const sessions: SessionStore = {
  get: (key) => readSessions()[key],
  set: (key, value) => {
    writeFileSync(sessionsFile, JSON.stringify({ ...readSessions(), [key]: value }));
    return Promise.resolve();
  },
};

function readSessions(): Record<string, unknown> {
  if (!existsSync(sessionsFile)) return {};
  return JSON.parse(readFileSync(sessionsFile, 'utf8')) as Record<string, unknown>;
}

async function run(): Promise<void> {
  const http = new HttpClient({ timeout: 60_000 });
  const client = new DriveClient({
    http,
    tokens: staticTokens,
    clock: systemClock,
    service: {
      ...{ can: CAPABILITIES.google, baseUrl, uploadUrl: baseUrl, driveId: '' },
      folderMimeType: 'application/vnd.google-apps.folder',
    },
    random: () => 0,
    retryFor: 10_000,
    requestsPerSecond: 10_000,
    maxTransfers: 4,
    bandwidth: sessionsFile === '' ? 0 : BANDWIDTH,
    ...(sessionsFile !== '' && { uploadSessions: sessions }),
  });
  await client.getAbout('user');
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  const { summary, changes, error } = await client.sync(JSON.parse(json) as SyncRequest);
  peak = Math.max(peak, process.memoryUsage.rss());
  clearInterval(timer);
  http.close();
  const result = { summary, error: error?.message, changes: changes.length, growth: peak - before };
  process.stdout.write(JSON.stringify(result));
}

void run();
