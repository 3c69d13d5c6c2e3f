/** Which step of the setup at the service an error belongs to, so that the panel can link to it. */
import type { NodeAPI } from 'node-red';
import { DriveError, type TextKey } from '../../../src/index';
import type { ApiError, Delegation, SetupStep } from '../../shared/contract/account-api';
import { errorSummary } from '../../shared/runtime/error-message';

/** By the text of the error. The text for a blocked client already names who can allow it: the administrator. */
const STEPS: Readonly<Partial<Record<TextKey, SetupStep>>> = {
  not_configured_client_refused: 'clients',
  permission_denied_api_disabled: 'api',
  permission_denied_scope: 'access',
  sign_in_refused_access_denied: 'audience',
  sign_in_refused_browser_client: 'clients',
  sign_in_refused_browser_scope: 'access',
  sign_in_refused_invalid_client: 'clients',
  sign_in_refused_invalid_scope: 'access',
  sign_in_refused_redirect_uri: 'clients',
  sign_in_refused_unsupported_grant_type: 'clients',
  sign_in_required_ended: 'audience',
  sign_in_required_key_delegation: 'delegation',
  sign_in_required_key_ended: 'service_accounts',
  sign_in_required_testing: 'audience',
};

/** An error with its message, the step where it can be fixed if there is one, and what to enter there. */
export function errorWithStep(RED: NodeAPI, error: unknown): ApiError {
  const summary = errorSummary(RED, error);
  const step = error instanceof DriveError ? STEPS[error.text] : undefined;
  if (!(error instanceof DriveError) || step === undefined) return summary;
  return { ...summary, step, ...(step === 'delegation' && { delegation: delegationIn(error) }) };
}

function delegationIn(error: DriveError): Delegation {
  const { client, scopes } = error.params as { client: string; scopes: string };
  return { clientId: client, scopes };
}
