/** Browser sign-ins with a callback or a pasted redirect URL. RFC 6749 section 4.1.2 and docs/signing-in.md */
import should from 'should';
import type { SignInStatus } from '../../../nodes/shared/contract/account-api';
import { authorizationResponse, consent } from '../../support/consent';
import { rejected } from '../../support/client/rejected';
import { redirectGooglePreset, restorePreset } from '../../support/node-red/account';
import { SignInFixture } from './sign-in-fixture';

const FULL = 'https://www.googleapis.com/auth/drive';

describe('SignInSessions with the browser flow', () => {
  let fixture: SignInFixture;
  afterEach(() => fixture.close());

  const start = async (properties: object = { scope: FULL }) => {
    const { session, authorizationUrl = '', ...steps } = await fixture.startBrowser(undefined, properties);
    return { session, authorizationUrl, steps };
  };
  const view = (session: string): SignInStatus | undefined => fixture.sessions.status(session);

  it('a browser sign-in returns the authorization URL, but no code verifier and no code', async () => {
    fixture = await SignInFixture.open();
    const { session, authorizationUrl, steps } = await start();
    should(steps).deepEqual({
      flow: 'browser',
      expiresIn: 600,
      redirectUri: 'https://red.example/cloud-drive-account/callback',
    });
    should(view(session)).deepEqual({ state: 'pending', authorizationUrl, ...steps });
    should(fixture.drive.requests.all).be.empty();
  });

  it('a browser sign-in is authorized for the whole drive by the redirect', async () => {
    fixture = await SignInFixture.open();
    const { session, authorizationUrl } = await start();
    const ended = await fixture.sessions.handleCallback(
      authorizationResponse(await consent(authorizationUrl)),
    );
    should(ended?.state).equal('authorized');
    should(ended?.scope).equal(FULL);
    should(view(session)).deepEqual(ended);
    const [result] = fixture.signedIn;
    should(result?.tokens.refreshToken).match(/^1\/\/./);
    should(JSON.stringify(ended)).not.containEql(result?.tokens.accessToken ?? '');
    should(fixture.changes).deepEqual(['account', 'account']);
  });

  describe('with existing files to choose', () => {
    afterEach(() => restorePreset());
    const signIn = async (
      properties: object,
      picked: string,
    ): Promise<{ url: string; ended?: SignInStatus }> => {
      fixture = await SignInFixture.open();
      redirectGooglePreset(fixture.drive.url);
      const { authorizationUrl: url = '' } = await fixture.startBrowser(undefined, properties, true);
      const response = authorizationResponse(await consent(url, 'approve', picked));
      return { url, ended: await fixture.sessions.handleCallback(response) };
    };
    const google = { service: 'google', scope: '' };

    it('a browser sign-in reports how many files were chosen', async () => {
      const { url, ended } = await signIn(google, 'file-1,file-2');
      should(new URL(url).searchParams.get('trigger_onepick')).equal('true');
      should(ended).containEql({ state: 'authorized', chosenFiles: 2 });
    });

    it('a browser sign-in succeeds if no file was chosen', async () => {
      const { ended } = await signIn(google, '');
      should(ended).have.property('state', 'authorized');
      should(ended).not.have.property('chosenFiles');
    });

    for (const [why, properties] of [
      ['with access to the entire drive', { ...google, scope: FULL }],
      ['to another service', {}],
    ] as const)
      it(`a browser sign-in ${why} asks for no files`, async () => {
        const { url } = await signIn(properties, 'file-1');
        should(new URL(url).searchParams.has('trigger_onepick')).be.false();
      });
  });

  it('a browser sign-in accepts its state only once', async () => {
    fixture = await SignInFixture.open();
    const { authorizationUrl } = await start();
    const response = authorizationResponse(await consent(authorizationUrl));
    const both = await Promise.all([
      fixture.sessions.handleCallback(response),
      fixture.sessions.handleCallback(response),
    ]);
    should(both.map((ended) => ended?.state)).deepEqual(['authorized', undefined]);
    should(await fixture.sessions.handleCallback(response)).equal(undefined);
    should(fixture.drive.requests.to('POST', /token/)).have.length(1);
  });

  it('a browser sign-in rejects a wrong, missing or repeated state', async () => {
    fixture = await SignInFixture.open();
    const { session, authorizationUrl } = await start();
    const response = authorizationResponse(await consent(authorizationUrl));
    const code = response.get('code') ?? '';
    const twice = new URLSearchParams([...response, ['state', 'x']]);
    for (const other of [new URLSearchParams({ code }), new URLSearchParams({ code, state: 'x' }), twice])
      should(await fixture.sessions.handleCallback(other)).equal(undefined);
    should(view(session)?.state).equal('pending');
    should(fixture.drive.requests.to('POST', /token/)).be.empty();
  });

  it('a browser sign-in is denied if the user denies it', async () => {
    fixture = await SignInFixture.open();
    const { authorizationUrl } = await start();
    const ended = await fixture.sessions.handleCallback(
      authorizationResponse(await consent(authorizationUrl, 'deny')),
    );
    should(ended).containEql({ state: 'denied' });
    should(ended?.error?.message).equal('sign_in_refused_access_denied');
  });

  it('a browser sign-in fails if the service rejects the scope', async () => {
    fixture = await SignInFixture.open();
    const { authorizationUrl } = await start({ scope: 'everything' });
    const ended = await fixture.sessions.handleCallback(
      authorizationResponse(await consent(authorizationUrl)),
    );
    should([ended?.state, ended?.error?.message]).deepEqual(['failed', 'sign_in_refused_browser_scope']);
  });

  it('a browser sign-in fails with the code of another client', async () => {
    fixture = await SignInFixture.open();
    const stolen = authorizationResponse(await consent((await start()).authorizationUrl)).get('code') ?? '';
    const { authorizationUrl } = await start();
    const state = new URL(authorizationUrl).searchParams.get('state') ?? '';
    const ended = await fixture.sessions.handleCallback(new URLSearchParams({ state, code: stolen }));
    should([ended?.state, ended?.error?.message]).deepEqual(['failed', 'sign_in_refused_code_used']);
    should(fixture.signedIn).be.empty();
  });

  it('a browser sign-in expires without a redirect', async () => {
    fixture = await SignInFixture.open();
    const { session, authorizationUrl } = await start();
    const response = authorizationResponse(await consent(authorizationUrl));
    await fixture.clock.advance(599_000);
    should(view(session)).containEql({ state: 'pending', expiresIn: 1 });
    await fixture.clock.advance(1_000);
    should((await fixture.waitForEnd(session)).state).equal('expired');
    should(await fixture.sessions.handleCallback(response)).equal(undefined);
  });

  it('a cancelled browser sign-in ignores the redirect', async () => {
    fixture = await SignInFixture.open();
    const { session } = await start();
    await fixture.clock.untilSleeping();
    fixture.sessions.cancel(session);
    should(view(session)?.state).equal('cancelled');
    should(fixture.clock.sleeping).equal(0);
  });

  it('a browser sign-in needs an authorization URL, a scope and a redirect URI', async () => {
    fixture = await SignInFixture.open();
    for (const property of ['authUrl', 'scope']) {
      const error = await rejected(start({ [property]: '' }), 'not_configured');
      should(error.params).deepEqual({ property });
    }
    await rejected(fixture.startBrowser('http://192.168.1.5/'), 'insecure_url', 'insecure_url_redirect');
    should(fixture.clock.sleeping).equal(0);
  });

  describe('pasted redirect URL', () => {
    const LOOPBACK = 'http://127.0.0.1:51004/';
    const startAndConsent = async (): Promise<{ session: string; redirected: string }> => {
      fixture = await SignInFixture.open();
      const { session, authorizationUrl = '' } = await fixture.startBrowser(LOOPBACK);
      return { session, redirected: await consent(authorizationUrl) };
    };

    for (const [what, change] of [
      ['unchanged', (url: string) => url],
      ['surrounded by spaces', (url: string) => `\n  ${url} `],
      ['without its scheme', (url: string) => url.replace('http://', '')],
    ] as const)
      it(`a browser sign-in accepts a pasted redirect URL ${what}`, async () => {
        const { session, redirected } = await startAndConsent();
        should(redirected.startsWith(LOOPBACK)).equal(true);
        fixture.sessions.submitRedirectUrl(session, change(redirected));
        // Submitting it twice is not an error.
        fixture.sessions.submitRedirectUrl(session, change(redirected));
        should((await fixture.waitForEnd(session)).state).equal('authorized');
        should(() => fixture.sessions.submitRedirectUrl(session, redirected)).throw({
          text: 'not_found_sign_in',
        });
      });

    it('a browser sign-in explains an invalid redirect URL, and accepts another one', async () => {
      const { session, redirected } = await startAndConsent();
      for (const wrong of ['', 'code', 'https://accounts.example/signin?state=x', 'http://[', LOOPBACK])
        should(() => fixture.sessions.submitRedirectUrl(session, wrong)).throw({
          text: 'invalid_input_redirected',
        });
      const other = new URL(redirected);
      other.searchParams.set('state', 'another');
      should(() => fixture.sessions.submitRedirectUrl(session, other.href)).throw({
        text: 'invalid_input_redirected_other',
      });
      should(view(session)?.state).equal('pending');
      fixture.sessions.submitRedirectUrl(session, redirected);
      should((await fixture.waitForEnd(session)).state).equal('authorized');
    });

    it('a device sign-in accepts no redirect URL', async () => {
      fixture = await SignInFixture.open();
      const { session } = await fixture.start();
      should(() => fixture.sessions.submitRedirectUrl(session, `${LOOPBACK}?code=a`)).throw({
        text: 'not_found_sign_in',
      });
    });
  });

  describe('status of a sign-in', () => {
    it('a sign-in reports clocks that differ by more than five minutes', async () => {
      fixture = await SignInFixture.open();
      const dateHeader = (minutes: number): Record<string, string> => ({
        Date: new Date(fixture.clock.now() - minutes * 60_000).toUTCString(),
      });
      for (const [minutes, warning] of [
        [17, 'clock_ahead 17'],
        [-90, 'clock_behind 90'],
        [4, undefined],
      ] as const) {
        fixture.drive.faults.add({
          kind: 'headers',
          headers: dateHeader(minutes),
          match: { path: /device\/code/ },
        });
        const { session } = await fixture.start();
        should(view(session)?.warning).equal(warning);
        fixture.sessions.cancel(session);
        should(view(session)?.warning).equal(warning);
      }
    });

    it('a sign-in reports an unreachable service until it can be reached again', async () => {
      fixture = await SignInFixture.open();
      const { session } = await fixture.start();
      const fault = fixture.drive.faults.add({ kind: 'reset', match: { path: /token/ }, times: 2 });
      const pollError = (): string | undefined => view(session)?.pollError?.code;
      should(pollError()).equal(undefined);
      for (const expected of ['network', 'network', undefined]) {
        await fixture.poll();
        await fixture.clock.untilSleeping();
        should([expected, pollError()]).deepEqual([expected, expected]);
      }
      fault.remove();
    });
  });
});
