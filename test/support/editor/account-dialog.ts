/** The account's dialog as a person fills it, with the local drive as the service. */
import type { Browser, Page } from 'playwright-core';
import { CLIENT, customAccount } from '../node-red/account';
import type { EditorPage } from './editor-page';

/** The client credentials record that the local drive's client would have been issued with. */
export function clientJson(driveUrl: string): string {
  const client = { client_id: CLIENT.id, client_secret: CLIENT.secret, token_uri: `${driveUrl}/token` };
  return JSON.stringify({ installed: client });
}

/** Puts a text into the field of a record, as pasting does. */
export async function paste(page: Page, field: 'client-json' | 'token-json', text: string): Promise<void> {
  const area = page.locator(`#cloud-drive-${field}`);
  await area.evaluate((element, value) => {
    const data = new DataTransfer();
    data.setData('text/plain', value);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    // A script can't paste for real: what the browser would do by itself.
    (element as HTMLTextAreaElement).value = value;
  }, text);
}

/** Fills the dialog for a service at addresses of its own; the record brings client and token address. */
export async function fillAccount(editor: EditorPage, driveUrl: string, name = 'Local'): Promise<void> {
  const { baseUrl, deviceUrl, authUrl, revokeUrl, folderMimeType, scope } = customAccount(driveUrl) as Record<
    string,
    string
  >;
  await editor.field('name', 'account').fill(name);
  await editor.field('service', 'account').selectOption('custom');
  const texts = { baseUrl, deviceUrl, authUrl, revokeUrl, folderMimeType, scope };
  for (const [property, value] of Object.entries(texts)) await editor.field(property, 'account').fill(value!);
  await paste(editor.page, 'client-json', clientJson(driveUrl));
  await editor.page.locator('#cloud-drive-client-json-message.cloud-drive-good').waitFor();
}

export const panel = (editor: EditorPage) => editor.page.locator('#cloud-drive-sign-in');

/** Presses Sign in. @returns the code and the link that the panel shows */
export async function signIn(editor: EditorPage): Promise<{ code: string; link: string }> {
  await panel(editor).getByRole('button', { name: 'Sign in' }).click();
  const code = await panel(editor).locator('.cloud-drive-code').innerText();
  const link = await panel(editor).locator('a').first().getAttribute('href');
  return { code, link: link ?? '' };
}

/** Chooses how to sign in, and presses Sign in. @returns the address of the page to open */
export async function signInByBrowser(editor: EditorPage, way: 'back' | 'pasting'): Promise<string> {
  await panel(editor)
    .getByRole('radio', { name: way === 'back' ? /back to Node-RED/ : /pasting where it ends/ })
    .check();
  await panel(editor).getByRole('button', { name: 'Sign in' }).click();
  const link = panel(editor).getByRole('link', { name: 'Open the sign-in page' });
  return (await link.getAttribute('href')) ?? '';
}

/** The person on the service's page, in a browser of their own. @returns the address where it ends, and what is there */
export async function decideInBrowser(
  browser: Browser,
  address: string,
  action: 'approve' | 'deny' = 'approve',
): Promise<{ address: string; title: string }> {
  const page = await browser.newPage();
  await page.goto(address);
  // Where nobody listens, the page has no address of its own any more.
  const back = page.waitForRequest(
    (request) => /[?&](?:code|error)=/.test(request.url()) && request.isNavigationRequest(),
  );
  await page.locator(`button[value="${action}"]`).click();
  const ended = (await back).url();
  await page.waitForLoadState().catch(() => undefined);
  const title = await page.title();
  await page.close();
  return { address: ended, title };
}

/** The person, in a browser of their own: opens the link, types the code, decides. */
export async function decide(
  browser: Browser,
  { code, link }: { code: string; link: string },
  action: 'approve' | 'deny',
): Promise<void> {
  const page = await browser.newPage();
  await page.goto(link);
  await page.locator('#user_code').fill(code);
  await page.locator(`button[value="${action}"]`).click();
  await page.waitForLoadState();
  await page.close();
}
