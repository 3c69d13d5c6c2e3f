/** The URLs of an account: resolved from its properties and the preset, and validated. */
import { DriveError, secureUrl, withoutTrailingSlash } from '../../../src/index';
import { stripApiPath } from '../../shared/contract/values';
import { type AccountConfig, URL_PROPERTIES } from '../../shared/contract/account-config';
import { type Properties, textProperty } from './properties';
import { GOOGLE_PRESET } from './google-preset';

export type ServiceUrls = Pick<AccountConfig, (typeof URL_PROPERTIES)[number]>;

/**
 * The effective URLs, not validated; `''` for a missing one. The preset defines its URLs, except that the client JSON
 * may contain another token URL.
 */
export function resolveUrls(config: Properties): ServiceUrls {
  const tokenUrl = textProperty(config, 'tokenUrl');
  if (serviceOf(config) === 'google') {
    const { folderMimeType: _type, scope: _scope, ...urls } = GOOGLE_PRESET;
    return { ...urls, tokenUrl: tokenUrl || urls.tokenUrl };
  }
  const baseUrl = withoutTrailingSlash(textProperty(config, 'baseUrl'));
  return {
    baseUrl,
    uploadUrl: withoutTrailingSlash(textProperty(config, 'uploadUrl')) || baseUrl,
    // Not normalized: a trailing slash would change the path.
    tokenUrl,
    deviceUrl: textProperty(config, 'deviceUrl'),
    authUrl: textProperty(config, 'authUrl'),
    revokeUrl: textProperty(config, 'revokeUrl'),
  };
}

export type ServiceKind = AccountConfig['service'];

/** @throws `not_configured` for any other value */
export function serviceOf(config: Properties): ServiceKind {
  const service = textProperty(config, 'service') || 'google';
  if (service === 'google' || service === 'custom') return service;
  throw new DriveError('not_configured', { text: 'not_configured_service' });
}

const REQUIRED: readonly string[] = ['baseUrl', 'tokenUrl'];
/** Paths are appended to these. */
const BASE_URLS: readonly string[] = ['baseUrl', 'uploadUrl'];

/** @throws `not_configured`, `insecure_url`, each naming the property */
export function checkUrls(urls: ServiceUrls, required = REQUIRED): void {
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
