import { type TokenSourceOptions, TokenSource } from '../../../src/auth/token-source';
import type { DriveError } from '../../../src/errors';
import { HttpClient } from '../../../src/http/client';
import type { Tokens } from '../../../src/types';
import { FakeClock } from '../../support/clock';
import { ScriptedService } from '../../support/http/scripted-service';

/** Token sources and their endpoint, which issues `new-<number of the request>` for an hour. */
export class TokenFixture {
  service!: ScriptedService;
  clock!: FakeClock;
  /** Tokens that the sources have saved, and errors that require a sign-in. */
  readonly saved: Tokens[] = [];
  readonly signInErrors: DriveError[] = [];
  private http!: HttpClient;

  source(tokens: Partial<Tokens>, more: Partial<TokenSourceOptions> = {}): TokenSource {
    return new TokenSource({
      http: this.http,
      clock: this.clock,
      random: () => 0.5,
      retryFor: 10_000,
      client: () => ({ clientId: 'id', clientSecret: 'secret', tokenUrl: `${this.service.url}/token` }),
      store: {
        load: () => ({ accessToken: '', refreshToken: '', ...tokens }),
        save: (each) => this.saved.push(each),
      },
      onSignInRequired: (error) => this.signInErrors.push(error),
      ...more,
    });
  }

  async start(mode: 'auto' | 'manual'): Promise<void> {
    this.service = await ScriptedService.start();
    this.service.onRequest(() => ({
      body: { access_token: `new-${this.service.requests.length}`, expires_in: 3_600 },
    }));
    this.http = new HttpClient({ timeout: 1_000 });
    this.clock = new FakeClock(mode);
    this.saved.length = 0;
    this.signInErrors.length = 0;
  }

  async stop(): Promise<void> {
    this.http.close();
    await this.service.close();
  }
}

/** Starts and stops a fixture for each test of a describe block. */
export function tokenFixture(mode: 'auto' | 'manual' = 'auto'): TokenFixture {
  const fixture = new TokenFixture();
  beforeEach(() => fixture.start(mode));
  afterEach(() => fixture.stop());
  return fixture;
}
