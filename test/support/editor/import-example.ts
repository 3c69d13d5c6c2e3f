/** Imports an example through the editor's dialog. */
import type { Page } from 'playwright-core';

/** Waits until the editor confirms the import, or asks about nodes that exist already. */
export async function importExample(page: Page, packageName: string, example: string): Promise<void> {
  await page.evaluate(() => RED.actions.invoke('core:show-examples-import-dialog'));
  const tab = page.locator('#red-ui-clipboard-dialog-import-tab-examples');
  const row = (name: string) =>
    tab.locator('.red-ui-treeList-label').filter({ has: page.getByText(name, { exact: true }) });
  await waitForAnimations(page);
  await row(packageName).click();
  await waitForAnimations(page);
  await row(example).click();
  const button = page.locator('#red-ui-clipboard-dialog-ok');
  await button.click();
  await button.waitFor({ state: 'hidden' });
  await page
    .locator('.red-ui-notification', { hasText: /Imported|already exist/ })
    .first()
    .waitFor();
}

/** Waits for animations, because a click on a moving element can be lost. */
async function waitForAnimations(page: Page): Promise<void> {
  await page.waitForFunction(() => $(':animated').length === 0);
}
