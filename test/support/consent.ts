/** A person without a browser, on the local drive's consent page: RFC 6749 4.1.1. */

/**
 * Opens the page, decides, and stays where the browser would be sent next.
 * @returns that address, or the page's text where there is none
 */
export async function consent(
  authorizationUrl: string,
  action: 'approve' | 'deny' = 'approve',
): Promise<string> {
  const opened = await fetch(authorizationUrl, { redirect: 'manual' });
  const back = opened.headers.get('location');
  if (back !== null) return back;
  const page = await opened.text();
  const handle = /name="request" value="([\w-]+)"/.exec(page)?.[1];
  if (handle === undefined) return page;
  const body = new URLSearchParams({ request: handle, action });
  const decided = await fetch(new URL(authorizationUrl).origin + new URL(authorizationUrl).pathname, {
    ...{ method: 'POST', redirect: 'manual', body },
  });
  return decided.headers.get('location') ?? (await decided.text());
}

/** The query of an address. */
export function answerOf(address: string): URLSearchParams {
  return new URL(address).searchParams;
}
