/** The URLs of an account: resolved from its properties and the preset, and checked. */
import { DriveError, secureUrl, withoutTrailingSlash } from '../../../src/index';
import { stripApiPath } from '../../shared/contract/values';
import { type AccountConfig, URL_PROPERTIES } from '../../shared/contract/account-config';

/**
 * The `google` preset.
 * https://developers.google.com/identity/protocols/oauth2/limited-input-device
 * https://developers.google.com/workspace/drive/api/reference/rest/v3
 */
export const GOOGLE_PRESET = {
  baseUrl: 'https://www.googleapis.com',
  uploadUrl: 'https://www.googleapis.com',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  deviceUrl: 'https://oauth2.googleapis.com/device/code',
  authUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  revokeUrl: 'https://oauth2.googleapis.com/revoke',
  folderMimeType: 'application/vnd.google-apps.folder',
  /** The widest scope that the device flow grants: access to files that this app creates. */
  scope: 'https://www.googleapis.com/auth/drive.file',
} as const;

export type ServiceUrls = Pick<AccountConfig, (typeof URL_PROPERTIES)[number]>;

/**
 * The effective URLs, unchecked; `''` for a missing one. The preset defines its URLs, except that the client JSON may
 * contain another token URL.
 * The user's are trimmed already.
 */
export function resolveUrls({ service, ...entered }: ServiceUrls & { service: string }): ServiceUrls {
  const { folderMimeType: _type, scope: _scope, ...urls } = GOOGLE_PRESET;
  if (service === 'google') return { ...urls, tokenUrl: entered.tokenUrl || urls.tokenUrl };
  const baseUrl = withoutTrailingSlash(entered.baseUrl);
  const uploadUrl = withoutTrailingSlash(entered.uploadUrl) || baseUrl;
  const { tokenUrl, deviceUrl, authUrl, revokeUrl } = entered;
  // The others aren't normalized: a trailing slash would change the path.
  return { baseUrl, uploadUrl, tokenUrl, deviceUrl, authUrl, revokeUrl };
}

/** Paths are appended to these. */
const BASE_URLS: readonly string[] = ['baseUrl', 'uploadUrl'];

/** @throws `not_configured`, `insecure_url`, each naming the property */
export function checkUrls(urls: ServiceUrls, required: readonly string[]): void {
  for (const name of URL_PROPERTIES) {
    const text = urls[name];
    if (text === '') {
      if (required.includes(name)) throw missingProperty(name);
      continue;
    }
    const url = secureUrl(text, name);
    if (url.hash !== '' || (BASE_URLS.includes(name) && url.search !== '')) {
      throw new DriveError('not_configured', { text: 'not_configured_address', params: { property: name } });
    }
    const instead = BASE_URLS.includes(name) ? stripApiPath(text) : undefined;
    if (instead !== undefined) {
      const params = { property: name, instead };
      throw new DriveError('not_configured', { text: 'not_configured_address_path', params });
    }
  }
}

/** The error for a missing required property. */
export function missingProperty(property: string): DriveError {
  return new DriveError('not_configured', { text: 'not_configured_missing', params: { property } });
}

export function haveSameUrls(one: ServiceUrls, other: ServiceUrls): boolean {
  return URL_PROPERTIES.every((name) => one[name] === other[name]);
}
