'use strict';
/**
 * Preloaded into Node-RED: replaces the URLs of the google preset in the built package with those of the service at
 * GOOGLE_PRESET_URL.
 */
const Module = require('node:module');
const path = require('node:path');

const url = process.env.GOOGLE_PRESET_URL;
const URLS = {
  'https://www.googleapis.com': url,
  'https://oauth2.googleapis.com/token': `${url}/token`,
  'https://oauth2.googleapis.com/device/code': `${url}/device/code`,
  'https://accounts.google.com/o/oauth2/v2/auth': `${url}/o/oauth2/v2/auth`,
  'https://oauth2.googleapis.com/revoke': `${url}/revoke`,
};

const load = Module._extensions['.js'];
Module._extensions['.js'] = (module, filename) => {
  if (path.basename(filename) === 'cloud-drive.js') {
    const compile = module._compile;
    module._compile = (code, ...more) => compile.call(module, withReplacedUrls(code), ...more);
  }
  load(module, filename);
};

function withReplacedUrls(code) {
  // The build breaks long lines, also inside strings.
  let changed = code.replaceAll('\\\n', '');
  for (const [from, to] of Object.entries(URLS)) {
    const quoted = new RegExp(`(["'\`])${from.replace(/[.]/g, '\\.')}\\1`, 'g');
    if (!quoted.test(changed)) throw new Error(`${from} is not in the built package`);
    changed = changed.replace(quoted, JSON.stringify(to));
  }
  return changed;
}
