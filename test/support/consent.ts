/** Acts as the user on the local drive's consent page, without a browser: RFC 6749 4.1.1. */

/**
 * Opens the page and submits the decision.
 * @param picked ids of existing files to choose, if the page asks for them
 * @returns the redirect URL, or the text of the page if it does not redirect
 */
export async function consent(
  authorizationUrl: string,
  action: 'approve' | 'deny' = 'approve',
  picked = '',
): Promise<string> {
  const opened = await fetch(authorizationUrl, { redirect: 'manual' });
  const back = opened.headers.get('location');
  if (back !== null) return back;
  const page = await opened.text();
  const handle = /name="request" value="([\w-]+)"/.exec(page)?.[1];
  if (handle === undefined) return page;
  const body = new URLSearchParams({ request: handle, action });
  if (page.includes('name="picked"')) body.set('picked', picked);
  const decided = await fetch(new URL(authorizationUrl).origin + new URL(authorizationUrl).pathname, {
    ...{ method: 'POST', redirect: 'manual', body },
  });
  return decided.headers.get('location') ?? (await decided.text());
}

/** The authorization response in the query of a redirect URL. */
export function authorizationResponse(redirectUrl: string): URLSearchParams {
  return new URL(redirectUrl).searchParams;
}
