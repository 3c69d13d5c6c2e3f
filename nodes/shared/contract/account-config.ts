/** Properties and credentials of the account node: the table of docs/nodes/account.md. */

/** The properties that contain URLs. */
export const URL_PROPERTIES = [
  'baseUrl',
  'uploadUrl',
  'tokenUrl',
  'deviceUrl',
  'authUrl',
  'revokeUrl',
] as const;

export const ACCOUNT_DEFAULTS = {
  name: '',
  service: 'google' as 'google' | 'custom',
  auth: 'user' as 'user' | 'service-account',
  /** E-mail address of the user that a service account impersonates. */
  subject: '',
  baseUrl: '',
  uploadUrl: '',
  tokenUrl: '',
  deviceUrl: '',
  authUrl: '',
  revokeUrl: '',
  folderMimeType: '',
  scope: '',
  driveId: '',
  requestsPerSecond: 10 as number | string,
  maxTransfers: 4 as number | string,
  /** Seconds. */
  retryFor: 300 as number | string,
  /** Seconds. */
  timeout: 30 as number | string,
  /** KiB/s, 0 = no limit. */
  bandwidth: 0 as number | string,
  /** ISO time of the last sign-in. The runtime ignores it: it only enables the Deploy button after a sign-in. */
  signedInAt: '',
};

export type AccountConfig = typeof ACCOUNT_DEFAULTS;

/** The types of the credentials, as Node-RED registers them. */
export const ACCOUNT_CREDENTIALS = {
  clientId: { type: 'text' },
  clientSecret: { type: 'password' },
  refreshToken: { type: 'password' },
  accessToken: { type: 'password' },
  /** The JSON of a key file, or its path. */
  serviceAccountKey: { type: 'password' },
} as const;

export type AccountCredentials = { [Name in keyof typeof ACCOUNT_CREDENTIALS]?: string };
