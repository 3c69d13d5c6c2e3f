/** Fills the account's dialog as a user does, with the local drive as the service. */
import type { Page } from 'playwright-core';
import { accountText } from '../languages';
import { CLIENT, customAccount } from '../node-red/account';
import type { SpecBrowser } from './browser';
import type { EditorPage } from './editor-page';

/** The client JSON of the local drive's client. */
export function clientJson(driveUrl: string, members: object = {}): string {
  const client = { client_id: CLIENT.id, client_secret: CLIENT.secret, token_uri: `${driveUrl}/token` };
  return JSON.stringify({ installed: { ...client, ...members } });
}

/** With everything else that an account of the service needs. */
export function completeClientJson(driveUrl: string): string {
  const account = customAccount(driveUrl);
  return clientJson(driveUrl, {
    auth_uri: account['authUrl'],
    base_url: account['baseUrl'],
    device_uri: account['deviceUrl'],
    revoke_uri: account['revokeUrl'],
    scope: account['scope'],
    folder_mime_type: account['folderMimeType'],
  });
}

/** Pastes a text into a JSON field. */
export async function paste(
  page: Page,
  field: 'client-json' | 'token-json' | 'key-json',
  text: string,
): Promise<void> {
  const area = page.locator(`#cloud-drive-${field}`);
  await area.evaluate((element, value) => {
    const data = new DataTransfer();
    data.setData('text/plain', value);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    // A synthetic paste event doesn't change the value.
    (element as HTMLTextAreaElement).value = value;
  }, text);
}

/** Fills the dialog for a custom service: its client JSON supplies everything but the name. */
export async function fillAccount(editor: EditorPage, driveUrl: string, name = 'Local'): Promise<void> {
  await editor.field('name', 'account').fill(name);
  await paste(editor.page, 'client-json', completeClientJson(driveUrl));
  await editor.page.locator('#cloud-drive-client-json-message.cloud-drive-good').waitFor();
}

export const panel = (editor: EditorPage) => editor.page.locator('#cloud-drive-sign-in');

/** Presses Sign in. @returns the user code and the verification URL in the panel */
export async function signIn(editor: EditorPage): Promise<{ code: string; link: string }> {
  await panel(editor).getByRole('button', { name: 'Sign in' }).click();
  const code = await panel(editor).locator('.cloud-drive-code').innerText();
  const link = await panel(editor).locator('a').first().getAttribute('href');
  return { code, link: link ?? '' };
}

/** Selects a browser method, and presses Sign in. @returns the authorization URL */
export async function signInByBrowser(editor: EditorPage, method: 'browser' | 'paste'): Promise<string> {
  await panel(editor)
    .getByRole('radio', { name: accountText(`way.${method}`) })
    .check();
  await panel(editor).getByRole('button', { name: 'Sign in' }).click();
  const link = panel(editor).getByRole('link', { name: 'Open the sign-in page' });
  return (await link.getAttribute('href')) ?? '';
}

/** Approves or denies on the service's page. @returns the redirect URL, and the title of its page */
export async function decideInBrowser(
  browser: SpecBrowser,
  authorizationUrl: string,
  action: 'approve' | 'deny' = 'approve',
): Promise<{ url: string; title: string }> {
  const page = await browser.newPage();
  await page.goto(authorizationUrl);
  // If nothing listens at the redirect URL, the page no longer has a URL.
  const redirect = page.waitForRequest(
    (request) => /[?&](?:code|error)=/.test(request.url()) && request.isNavigationRequest(),
  );
  await page.locator(`button[value="${action}"]`).click();
  const request = await redirect;
  const url = request.url();
  // The request precedes the new page.
  if (await request.response()) await page.waitForURL(({ href }) => href === url);
  const title = await page.title();
  await page.close();
  return { url, title };
}

/** Approves or denies with the user code, as the form of the verification URL does. */
export async function decide(
  { code, link }: { code: string; link: string },
  action: 'approve' | 'deny',
): Promise<void> {
  const body = new URLSearchParams({ user_code: code, action });
  const { ok } = await fetch(link, { method: 'POST', body });
  if (!ok) throw new Error(`the user code ${code} is unknown`);
}
