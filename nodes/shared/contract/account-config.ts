/** Properties and credentials of the account node: the table of docs/nodes/account.md. */

/** The properties that determine the URLs of requests. The form saves them as strings. */
export interface AccountUrls {
  service: 'google' | 'custom';
  baseUrl: string;
  uploadUrl: string;
  tokenUrl: string;
  deviceUrl: string;
  authUrl: string;
  revokeUrl: string;
}

export interface AccountConfig extends AccountUrls {
  name: string;
  folderMimeType: string;
  scope: string;
  driveId: string;
  requestsPerSecond: number | string;
  maxTransfers: number | string;
  /** Seconds. */
  retryFor: number | string;
  /** Seconds. */
  timeout: number | string;
  /** KiB/s, 0 = no limit. */
  bandwidth: number | string;
  /** ISO time of the last sign-in. The runtime ignores it: it only enables the Deploy button after a sign-in. */
  signedInAt: string;
}

export interface AccountCredentials {
  clientId?: string;
  clientSecret?: string;
  refreshToken?: string;
  accessToken?: string;
}
