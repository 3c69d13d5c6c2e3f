import { Router, type NextFunction, type Request, type Response } from 'express';
import { queryOf } from '../http/query-parameters';
import { showConsent, submitConsent } from './browser-sign-in';
import { findClient } from './clients';
import { readForm, requiredField } from './form';
import { OAuthError } from './oauth-error';
import { page, verificationPage } from './pages';
import { checkScope } from './scopes';
import { handleTokenRequest, type OAuthBackend } from './token-endpoint';

export interface OAuthRouteOptions {
  state: OAuthBackend;
  /** URL of this service. */
  origin: () => string;
  interval: number;
  deviceLifetime: number;
  style: 'google' | 'rfc';
  log: (line: string) => void;
}

/** The OAuth endpoints and the pages for the user. */
export function oauthRoutes(options: OAuthRouteOptions): Router {
  const { state } = options;
  const router = Router();
  router.all(
    ['/device/code', '/token', '/revoke', '/device', '/o/oauth2/v2/auth'],
    (_request, response, next) => {
      response.setHeader('Cache-Control', 'no-store');
      next();
    },
  );
  router.post('/device/code', async (request, response) => {
    response.json(await startDeviceSignIn(options, request));
  });
  router.post('/token', async (request, response) => {
    response.json(await handleTokenRequest(state, request, `${options.origin()}/token`));
  });
  router.post('/revoke', async (request, response) => {
    const form = await readForm(request);
    await state.grants.revoke(queryOf(request).get('token') ?? requiredField(form, 'token'));
    response.json({});
  });
  router.get('/device', (request, response) => {
    response.type('html').send(verificationPage(queryOf(request).get('user_code') ?? ''));
  });
  router.post('/device', (request, response) => submitUserCode(options, request, response));
  router.get('/o/oauth2/v2/auth', (request, response) => {
    showConsent(state, request, response);
  });
  router.post('/o/oauth2/v2/auth', (request, response) => submitConsent(state, request, response));
  router.use(handleOAuthErrors);
  return router;
}

/** RFC 8628 sections 3.1 and 3.2. Google sends `verification_url` in place of `verification_uri`. */
async function startDeviceSignIn(options: OAuthRouteOptions, request: Request): Promise<object> {
  const form = await readForm(request);
  const client = findClient(options.state.clients, requiredField(form, 'client_id'), 'device');
  const scope = requiredField(form, 'scope');
  checkScope(scope, 'device');
  const { deviceCode, userCode } = options.state.devices.start(client.id, scope);
  const url = `${options.origin()}/device`;
  const verification =
    options.style === 'google'
      ? { verification_url: url }
      : {
          verification_uri: url,
          verification_uri_complete: `${url}?user_code=${encodeURIComponent(userCode)}`,
        };
  return {
    device_code: deviceCode,
    user_code: userCode,
    expires_in: options.deviceLifetime,
    interval: options.interval,
    ...verification,
  };
}

/** POST /device: the user's decision on the verification page. */
async function submitUserCode(options: OAuthRouteOptions, request: Request, response: Response) {
  const form = await readForm(request);
  const userCode = form.get('user_code') ?? '';
  const action = form.get('action');
  response.type('html');
  if (action !== 'approve' && action !== 'deny') {
    response.status(400).send(verificationPage(userCode, 'Choose one of the two buttons.'));
  } else if (!options.state.devices.decide(userCode, action, form.get('scope') ?? undefined)) {
    response.status(400).send(verificationPage(userCode, 'This code is unknown or has expired.'));
  } else {
    options.log(`a device was ${action === 'approve' ? 'approved' : 'denied'}`);
    const text = action === 'approve' ? 'The device is connected.' : 'The device was not connected.';
    response.send(page(text, '<p>You can close this page and return to your device.</p>'));
  }
}

function handleOAuthErrors(error: unknown, request: Request, response: Response, next: NextFunction): void {
  if (!(error instanceof OAuthError)) {
    next(error);
    return;
  }
  request.resume();
  response.status(error.status).json(error.toBody());
}
