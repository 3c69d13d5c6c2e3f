/** The client that is registered with the local drive, and the properties of an account node that uses it. */
import path from 'node:path';
import { type AccountSettings, AccountValues } from '../../../nodes/account/settings/settings';
import { GOOGLE_PRESET } from '../../../nodes/account/settings/urls';

export const CLIENT = { id: 'client-1.apps.test', secret: 'canary-client-secret' } as const;
export const ACCESS_TOKEN = 'canary-access-token';
export const REFRESH_TOKEN = 'canary-refresh-token';

/** Complete credentials of a signed-in account. */
export const CREDENTIALS = {
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  refreshToken: REFRESH_TOKEN,
} as const;

/** Properties of an account at a local service. @param url base URL of the local drive, without a trailing slash */
export function customAccount(url: string): Record<string, unknown> {
  return {
    service: 'custom',
    baseUrl: url,
    uploadUrl: '',
    tokenUrl: `${url}/token`,
    deviceUrl: `${url}/device/code`,
    authUrl: `${url}/o/oauth2/v2/auth`,
    revokeUrl: `${url}/revoke`,
    folderMimeType: GOOGLE_PRESET.folderMimeType,
    scope: GOOGLE_PRESET.scope,
    // The rate limit is high, so that it does not slow down tests.
    requestsPerSecond: 1_000,
  };
}

const ORIGINAL_PRESET = { ...GOOGLE_PRESET };

/** Redirects the Google preset of this process to a local service, until {@link restorePreset}. */
export function redirectGooglePreset(url: string): void {
  Object.assign(GOOGLE_PRESET, {
    baseUrl: url,
    uploadUrl: url,
    tokenUrl: `${url}/token`,
    deviceUrl: `${url}/device/code`,
    authUrl: `${url}/o/oauth2/v2/auth`,
    revokeUrl: `${url}/revoke`,
  });
}

export function restorePreset(): void {
  Object.assign(GOOGLE_PRESET, ORIGINAL_PRESET);
}

/** @returns environment variables that redirect the Google preset of a Node-RED process */
export function redirectedPresetEnv(url: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--require "${path.join(__dirname, 'redirect-google-preset.cjs')}"`,
    GOOGLE_PRESET_URL: url,
  };
}

export function accountSettings(config: object, credentials: object): AccountSettings {
  return new AccountValues({ config: { ...config }, credentials: { ...credentials } }).settings();
}
