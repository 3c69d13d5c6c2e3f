/**
 * A real Chromium for the tests of the editor. On Linux x64 it comes with a package, so that a fresh clone needs
 * nothing installed; elsewhere an installed one is used.
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const INSTALLED = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Works as root and in a container, and talks to nobody but the pages that are opened. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium; to be closed with `close`. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await executable(), args: FLAGS, headless: true });
}

async function executable(): Promise<string> {
  const installed = INSTALLED.find((path) => path !== '' && existsSync(path));
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    if (installed === undefined) throw new Error('no Chromium: install one, or name it in CHROMIUM_PATH');
    return installed;
  }
  // Read when the package is loaded: with it, the libraries that Chromium needs are unpacked too.
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs20.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  return packaged.executablePath();
}
