/** An error of the token, device and revoke endpoints: `{"error","error_description"}` (RFC 6749 section 5.2). */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';

  constructor(
    readonly status: number,
    readonly error: string,
    description: string,
  ) {
    super(description);
  }

  toBody(): object {
    return { error: this.error, error_description: this.message };
  }
}

/** 400 invalid_request for a missing parameter. */
export function missingParameter(name: string): OAuthError {
  return new OAuthError(400, 'invalid_request', `Missing required parameter: ${name}`);
}
