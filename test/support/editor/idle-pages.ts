/** Pages that suites have closed, for the next suites: opening the editor in one takes half as long as in a new page. */
import type { Page } from 'playwright-core';

const idle: Page[] = [];

/** Makes a page like a new one, as far as tests of the editor depend on it. */
export async function keepPage(page: Page): Promise<void> {
  page.removeAllListeners();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.context().clearCookies();
  await page.context().clearPermissions();
  await page.goto('about:blank');
  idle.push(page);
}

export function takePage(): Page | undefined {
  return idle.splice(0).find((page) => !page.isClosed());
}

export function isKept(page: Page): boolean {
  return idle.includes(page);
}
