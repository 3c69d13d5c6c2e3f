/** The account of the tests: who is registered with the local drive, and how an account node is set up for it. */
import path from 'node:path';
import { GOOGLE_PRESET } from '../../../nodes/account/settings/google-preset';

export const CLIENT = { id: 'client-1.apps.test', secret: 'canary-client-secret' } as const;
export const ACCESS_TOKEN = 'canary-access-token';
export const REFRESH_TOKEN = 'canary-refresh-token';

/** Credentials that are complete and signed in, with the tokens above. */
export const CREDENTIALS = {
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  refreshToken: REFRESH_TOKEN,
} as const;

/** The properties with which an account uses a service on this machine. @param url the local drive's, without a slash */
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
    // No test is about pacing unless it says so.
    requestsPerSecond: 1_000,
  };
}

const REAL = { ...GOOGLE_PRESET };

/** Lets the google preset of this process mean a service on this machine, until {@link restorePreset}. */
export function presetAt(url: string): void {
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
  Object.assign(GOOGLE_PRESET, REAL);
}

/** The same for a Node-RED in a process of its own: its environment. */
export function environmentOfPreset(url: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--require "${path.join(__dirname, 'redirect-google-preset.cjs')}"`,
    GOOGLE_PRESET_URL: url,
  };
}
