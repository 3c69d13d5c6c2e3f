/** Waits for the authorization response of a browser sign-in: from the redirect, or from a pasted redirect URL. */
import {
  type AuthorizationRequest,
  DriveError,
  type OAuthClient,
  type OAuthContext,
  type Tokens,
  countChosenFiles,
  readAuthorizationResponse,
  exchangeCode,
} from '../../../src/index';

/** How long a user may take to sign in on the service's pages, ms. */
export const BROWSER_LIFETIME = 10 * 60_000;

export class PendingAuthorization {
  /** Ends the wait, on a response or a cancel. */
  private readonly waitController = new AbortController();
  private response: URLSearchParams | undefined;

  constructor(private readonly flow: AuthorizationRequest) {}

  get hasResponse(): boolean {
    return this.response !== undefined;
  }

  /** The number of existing files that the user has chosen. */
  get chosenFiles(): number {
    return this.response ? countChosenFiles(this.response) : 0;
  }

  /**
   * Accepts an authorization response once.
   * @returns false if it belongs to another request, or if there was a response already
   */
  accept(response: URLSearchParams): boolean {
    const [state, ...more] = response.getAll('state');
    if (this.response || state !== this.flow.state || more.length > 0) return false;
    this.response = response;
    this.waitController.abort();
    return true;
  }

  /** @throws `sign_in_required` with a text for the error response or the timeout, `cancelled`, … */
  async tokens(context: OAuthContext, client: OAuthClient, signal: AbortSignal): Promise<Tokens> {
    await this.wait(context, signal);
    if (!this.response)
      throw new DriveError('sign_in_required', { text: 'sign_in_refused_nobody_came_back' });
    const code = readAuthorizationResponse(this.response);
    return exchangeCode(context, client, { ...this.flow, code }, signal);
  }

  private async wait({ clock }: OAuthContext, signal: AbortSignal): Promise<void> {
    const stop = (): void => this.waitController.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await clock.sleep(BROWSER_LIFETIME, this.waitController.signal);
    } catch (error) {
      if (signal.aborted || !this.waitController.signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

/** @throws `invalid_input` if the URL isn't the redirect URL of this sign-in */
export function acceptRedirectUrl(authorization: PendingAuthorization, redirectUrl: string): void {
  const response = parseRedirectUrl(redirectUrl);
  if (!response?.has('code') && !response?.has('error')) {
    throw new DriveError('invalid_input', { text: 'invalid_input_redirected' });
  }
  if (!authorization.accept(response))
    throw new DriveError('invalid_input', { text: 'invalid_input_redirected_other' });
}

/** Reads the query of a URL copied from a browser, which may hide the scheme. */
function parseRedirectUrl(redirectUrl: string): URLSearchParams | undefined {
  const text = redirectUrl.trim();
  try {
    return new URL(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`).searchParams;
  } catch {
    return undefined;
  }
}
