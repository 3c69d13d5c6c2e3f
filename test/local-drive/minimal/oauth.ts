/** OAuth of the minimal service: the device flow (RFC 8628) and refresh (RFC 6749 section 6) only. */
import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import type { Clock } from '../clock';
import { DeviceCodes } from '../oauth/device-codes';
import { readForm } from '../oauth/form';
import { OAuthError } from '../oauth/oauth-error';

export interface MinimalOAuth {
  client: { id: string; secret: string };
  refreshTokens: Set<string>;
  accessTokens: Set<string>;
  devices: DeviceCodes;
  /** Seconds. */
  interval: number;
  origin: () => string;
}

/** Device codes expire after half an hour, although the response doesn't say so. */
export function minimalDeviceCodes(clock: Clock, interval: number): DeviceCodes {
  return new DeviceCodes({ clock, interval, lifetime: 1800, style: 'rfc' });
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** The device and token endpoints, which require exactly the form fields of the specification. */
export function minimalOAuthRoutes(oauth: MinimalOAuth): Router {
  const router = Router();
  router.post('/device/code', async (request, response) => {
    const form = await readForm(request);
    checkFields(form, ['client_id', 'scope']);
    if (form.get('client_id') !== oauth.client.id) throw failure('invalid_client');
    const { deviceCode, userCode } = oauth.devices.start(oauth.client.id, form.get('scope') ?? '');
    response.json({
      device_code: deviceCode,
      user_code: userCode,
      verification_url: `${oauth.origin()}/device`,
      interval: oauth.interval,
    });
  });
  router.post('/token', async (request, response) => {
    response.json(tokenResponse(oauth, await readForm(request)));
  });
  return router;
}

function tokenResponse(oauth: MinimalOAuth, form: URLSearchParams): object {
  const grant = form.get('grant_type');
  if (grant !== DEVICE_GRANT && grant !== 'refresh_token') throw failure('unsupported_grant_type');
  const proof = grant === DEVICE_GRANT ? 'device_code' : 'refresh_token';
  checkFields(form, ['client_id', 'client_secret', 'grant_type', proof]);
  const { id, secret } = oauth.client;
  if (form.get('client_id') !== id || form.get('client_secret') !== secret) throw failure('invalid_client');
  if (grant === DEVICE_GRANT) {
    oauth.devices.poll(id, form.get('device_code') ?? '');
    const refreshToken = randomUUID();
    oauth.refreshTokens.add(refreshToken);
    return { access_token: newAccessToken(oauth), refresh_token: refreshToken };
  }
  if (!oauth.refreshTokens.has(form.get('refresh_token') ?? '')) throw failure('invalid_grant');
  return { access_token: newAccessToken(oauth) };
}

function newAccessToken({ accessTokens }: MinimalOAuth): string {
  const token = randomUUID();
  accessTokens.add(token);
  return token;
}

function checkFields(form: URLSearchParams, names: string[]): void {
  const given = [...form.keys()].sort();
  if (given.join() !== [...names].sort().join()) throw failure('invalid_request');
}

function failure(error: string): OAuthError {
  return new OAuthError(400, error, error);
}
