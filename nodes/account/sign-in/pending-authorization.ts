/** Waiting for the answer to a browser sign-in: from the browser that comes back, or from a pasted address. */
import {
  type AuthorizationRequest,
  DriveError,
  type OAuthClient,
  type OAuthContext,
  type Tokens,
  readAuthorizationResponse,
  exchangeCode,
} from '../../../src/index';

/** ms: how long a person may take on the service's pages. */
export const BROWSER_LIFETIME = 10 * 60_000;

export class PendingAuthorization {
  private readonly answered = new AbortController();
  private answer: URLSearchParams | undefined;

  constructor(private readonly flow: AuthorizationRequest) {}

  get hasResponse(): boolean {
    return this.answer !== undefined;
  }

  /**
   * Takes an answer, which is good for once.
   * @returns false where it is the answer to another request, or there has been one
   */
  accept(answer: URLSearchParams): boolean {
    const [state, ...more] = answer.getAll('state');
    if (this.answer || state !== this.flow.state || more.length > 0) return false;
    this.answer = answer;
    this.answered.abort();
    return true;
  }

  /** @throws `sign_in_required` with a text for each refusal, also that nobody came back in time; `cancelled`, … */
  async tokens(context: OAuthContext, client: OAuthClient, signal: AbortSignal): Promise<Tokens> {
    await this.wait(context, signal);
    if (!this.answer) throw new DriveError('sign_in_required', { text: 'sign_in_refused_nobody_came_back' });
    const code = readAuthorizationResponse(this.answer);
    return exchangeCode(context, client, { ...this.flow, code }, signal);
  }

  private async wait({ clock }: OAuthContext, signal: AbortSignal): Promise<void> {
    const stop = (): void => this.answered.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await clock.sleep(BROWSER_LIFETIME, this.answered.signal);
    } catch (error) {
      if (signal.aborted || !this.answered.signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

/** @throws `invalid_input` where the address isn't the one at which this sign-in ended */
export function acceptRedirectUrl(browser: PendingAuthorization, address: string): void {
  const answer = answerIn(address);
  if (!answer?.has('code') && !answer?.has('error')) {
    throw new DriveError('invalid_input', { text: 'invalid_input_redirected' });
  }
  if (!browser.accept(answer))
    throw new DriveError('invalid_input', { text: 'invalid_input_redirected_other' });
}

/** What an address that was copied from a browser says, with or without the beginning that browsers hide. */
function answerIn(address: string): URLSearchParams | undefined {
  const text = address.trim();
  try {
    return new URL(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`).searchParams;
  } catch {
    return undefined;
  }
}
