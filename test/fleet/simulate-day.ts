/**
 * A day of many machines with the same flow: a list every hour, and a backup at night into a folder of its own on
 * a shared drive. Requests are real, against the local drive; only the time is simulated.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  Calendar,
  DriveClient,
  HttpClient,
  TokenSource,
  parseServiceAccountKey,
  requestServiceAccountToken,
} from '../../src/index';
import { type LocalDrive, type RecordedRequest, startLocalDrive } from '../local-drive';
import { FakeClock } from '../support/clock';
import { unitsOf } from '../support/quota-units';

export interface DayOptions {
  machines: number;
  /** Seconds. */
  jitter: number;
}

export interface DayResult {
  /** The highest number of token requests of one machine in one hour. */
  tokensPerHour: number;
  /** Of all machines in the day. */
  tokens: number;
  requests: number;
  /** Requests in the busiest second and minute, and quota units in the latter. */
  perSecond: number;
  perMinute: number;
  unitsPerMinute: number;
  /** Names of the archives in the folder of each machine. */
  archives: string[][];
}

const HOUR = 3_600_000;
const BACKUP_AT = 2.5 * HOUR;
const SCOPE = 'https://www.googleapis.com/auth/drive';
/** Of one backup in ten, a request is refused. */
const RATE_LIMITED = 10;

export async function simulateDay({ machines, jitter }: DayOptions): Promise<DayResult> {
  let current = new FakeClock();
  const drive = await startLocalDrive({ clock: { now: () => current.now() } });
  const source = await mkdtemp(path.join(tmpdir(), 'fleet-'));
  const http = new HttpClient({ timeout: 10_000 });
  const counter = new Counter();
  try {
    await writeFile(path.join(source, 'data.txt'), 'data');
    const key = drive.addServiceAccount();
    const driveId = await drive.files.addSharedDrive('Fleet');
    await drive.files.share(driveId, key.client_email, 'fileOrganizer');
    const archives: string[][] = [];
    for (let machine = 0; machine < machines; machine++) {
      current = new FakeClock();
      const folderId = await drive.files.addFolder(`machine-${machine}`, driveId);
      const { client, tokens } = machineClient({ key: JSON.stringify(key), driveId, clock: current, http });
      await day({ client, folderId, source, machine, clock: current, jitter, drive });
      await tokens.close();
      counter.add(drive.requests.all);
      drive.requests.clear();
      archives.push(drive.files.in(folderId).map(({ name }) => name));
    }
    return { ...counter.result(), archives };
  } finally {
    http.close();
    await drive.close();
    await rm(source, { recursive: true });
  }
}

interface Machine {
  client: DriveClient;
  folderId: string;
  source: string;
  machine: number;
  clock: FakeClock;
  jitter: number;
  drive: LocalDrive;
}

/** Machines check at any second of the hour, but all make their backups at the same time. */
async function day({ client, folderId, source, machine, clock, jitter, drive }: Machine): Promise<void> {
  const start = clock.now();
  const wait = (at: number): void => clock.elapse(Math.max(0, start + at - clock.now()));
  const offset = (machine * 7_919_000) % HOUR;
  const backupAt = BACKUP_AT + fraction(machine) * jitter * 1_000;
  let isSaved = false;
  for (let at = offset; at < 24 * HOUR; at += HOUR) {
    if (!isSaved && at >= backupAt) {
      wait(backupAt);
      isSaved = true;
      addFaults(drive, machine);
      await client.backup(backupRequest(source, folderId, machine));
      drive.faults.clear();
    }
    wait(at);
    await client.request({ method: 'GET', path: 'files', query: { q: `'${folderId}' in parents` } });
  }
}

/** Spread evenly and repeatable, in place of a random number. */
function fraction(machine: number): number {
  return (machine * 0.618_033_988_75) % 1;
}

function addFaults(drive: LocalDrive, machine: number): void {
  if (machine % RATE_LIMITED === 0)
    drive.faults.add({ kind: 'error', reason: 'rateLimitExceeded', retryAfter: 2 });
}

function backupRequest(
  source: string,
  folderId: string,
  machine: number,
): Parameters<DriveClient['backup']>[0] {
  return {
    sources: [source],
    folderId,
    targetName: 'data-{date}-{number}',
    exclude: [],
    compression: 'gzip',
    calendar: new Calendar('UTC'),
    host: `machine-${machine}`,
    temporaryFolder: tmpdir(),
    fields: 'id,name',
  };
}

interface ClientOptions {
  key: string;
  driveId: string;
  clock: FakeClock;
  http: HttpClient;
}

function machineClient({ key: json, driveId, clock, http }: ClientOptions): {
  client: DriveClient;
  tokens: TokenSource;
} {
  const key = parseServiceAccountKey(json);
  const { origin } = new URL(key.tokenUrl);
  const account = { key, tokenUrl: key.tokenUrl, scope: SCOPE, subject: '' };
  const common = { http, clock, random: () => 0.5, retryFor: 300_000 };
  const tokens = new TokenSource({
    ...common,
    client: () => ({ clientId: '', clientSecret: '', tokenUrl: '' }),
    store: { load: () => ({ accessToken: '', refreshToken: '' }), save: () => undefined },
    requestToken: (signal) => requestServiceAccountToken({ http, clock }, account, signal),
  });
  const folderMimeType = 'application/vnd.google-apps.folder';
  const client = new DriveClient({
    ...common,
    tokens,
    service: {
      kind: 'google',
      baseUrl: origin,
      uploadUrl: origin,
      folderMimeType,
      driveId,
      isServiceAccount: true,
    },
    requestsPerSecond: 10,
    maxTransfers: 4,
  });
  return { client, tokens };
}

/** Counts requests by the simulated time at which they arrived. */
class Counter {
  private tokens = 0;
  private tokensPerHour = 0;
  private requests = 0;
  private readonly seconds = new Map<number, number>();
  private readonly minutes = new Map<number, { requests: number; units: number }>();

  add(all: readonly RecordedRequest[]): void {
    const hours = new Map<number, number>();
    for (const request of all) {
      const { receivedAt, path: target } = request;
      if (target === '/token') {
        const hour = Math.floor(receivedAt / HOUR);
        hours.set(hour, (hours.get(hour) ?? 0) + 1);
        this.tokens += 1;
        continue;
      }
      this.requests += 1;
      const second = Math.floor(receivedAt / 1_000);
      this.seconds.set(second, (this.seconds.get(second) ?? 0) + 1);
      const minute = Math.floor(receivedAt / 60_000);
      const before = this.minutes.get(minute) ?? { requests: 0, units: 0 };
      this.minutes.set(minute, { requests: before.requests + 1, units: before.units + unitsOf(request) });
    }
    this.tokensPerHour = Math.max(this.tokensPerHour, ...hours.values());
  }

  result(): Omit<DayResult, 'archives'> {
    const minutes = [...this.minutes.values()];
    return {
      tokensPerHour: this.tokensPerHour,
      tokens: this.tokens,
      requests: this.requests,
      perSecond: Math.max(...this.seconds.values()),
      perMinute: Math.max(...minutes.map(({ requests }) => requests)),
      unitsPerMinute: Math.max(...minutes.map(({ units }) => units)),
    };
  }
}
