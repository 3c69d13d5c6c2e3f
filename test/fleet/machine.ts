/** One machine of a simulated fleet: its own clock, access token and Drive client. */
import { tmpdir } from 'node:os';
import { CAPABILITIES } from '../../src/capabilities';
import type { DriveClient, HttpClient, ServiceAccountKey } from '../../src/index';
import { FakeClock } from '../support/clock';
import type { BundledClient } from './bundled-client';

export interface MachineOptions {
  src: BundledClient;
  number: number;
  folderId: string;
  key: ServiceAccountKey;
  driveId: string;
  /** Shared by all, so that a fleet needs few connections. */
  http: HttpClient;
}

const SCOPE = 'https://www.googleapis.com/auth/drive';
const HOUR = 3_600_000;
/** When a fake clock starts. */
const SINCE_MIDNIGHT = 10 * HOUR;

export class Machine {
  readonly number: number;
  readonly folderId: string;
  readonly clock = new FakeClock();
  private readonly client: DriveClient;
  private readonly src: BundledClient;

  constructor({ src, number, folderId, key, driveId, http }: MachineOptions) {
    this.src = src;
    this.number = number;
    this.folderId = folderId;
    this.clock.jump(-SINCE_MIDNIGHT);
    const { clock } = this;
    const account = { key, tokenUrl: key.tokenUrl, scope: SCOPE, subject: '' };
    const common = { http, clock, random: () => 0.5, retryFor: 300_000 };
    const tokens = new src.TokenSource({
      ...common,
      client: () => ({ clientId: '', clientSecret: '', tokenUrl: '' }),
      store: { load: () => ({ accessToken: '', refreshToken: '' }), save: () => undefined },
      requestToken: () => src.requestServiceAccountToken({ http, clock }, account),
    });
    const { origin } = new URL(key.tokenUrl);
    this.client = new src.DriveClient({
      ...common,
      tokens,
      service: {
        ...{ can: CAPABILITIES.google, baseUrl: origin, uploadUrl: origin, driveId, isServiceAccount: true },
        folderMimeType: 'application/vnd.google-apps.folder',
      },
      requestsPerSecond: 10,
      maxTransfers: 4,
    });
  }

  /** @returns ms since midnight */
  listsAt(hour: number): number {
    return hour * HOUR + ((this.number * 7_919_000) % HOUR);
  }

  /** @param at ms since midnight */
  wait(at: number): void {
    this.clock.elapse(Math.max(0, at - this.clock.monotonic()));
  }

  async list(): Promise<void> {
    await this.client.request({
      method: 'GET',
      path: 'files',
      query: { q: `'${this.folderId}' in parents` },
    });
  }

  async backup(source: string): Promise<void> {
    await this.client.backup({
      sources: [source],
      folderId: this.folderId,
      targetName: 'data-{date}-{number}',
      exclude: [],
      compression: 'gzip',
      calendar: new this.src.Calendar('UTC'),
      host: `machine-${this.number}`,
      temporaryFolder: tmpdir(),
      fields: 'id,name',
    });
  }
}
