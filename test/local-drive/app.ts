/** The service's addresses, put together. */
import express, { type Express } from 'express';
import type { Faults } from './faults/faults';
import { faultRoutes } from './faults/routes';
import { requireToken } from './files/authorize';
import type { DriveContext } from './files/drive';
import { fileRoutes } from './files/routes';
import { oauthRoutes } from './oauth/routes';
import type { OAuthState } from './oauth/token-endpoint';
import type { CompleteOptions } from './options';
import { answerErrors, answerUnknown } from './service/answer-error';
import { beginExchange } from './service/exchange';
import type { RequestLog } from './service/recorder';
import type { Sessions } from './upload/sessions';
import { uploadRoutes } from './upload/routes';

export interface AppParts {
  settings: CompleteOptions;
  drive: DriveContext;
  sessions: Sessions;
  oauth: OAuthState;
  faults: Faults;
  requests: RequestLog;
  origin: () => string;
}

/** All addresses of the service. Bodies are never parsed here: endpoints read them as they need, as streams. */
export function createApp({ settings, drive, sessions, oauth, faults, requests, origin }: AppParts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.use((request, response, next) => {
    const { recorded } = beginExchange(request, settings.clock.now());
    requests.add(recorded);
    response.setHeader('Date', new Date(settings.clock.now()).toUTCString());
    response.once('finish', () => {
      recorded.status = response.statusCode;
    });
    next();
  });
  if (settings.faultsOverHttp) app.use(faultRoutes(faults));
  app.use(faults.middleware);
  app.use(
    oauthRoutes({
      state: oauth,
      origin,
      interval: settings.interval,
      deviceLifetime: settings.deviceLifetime,
      style: settings.deviceStyle,
      log: settings.log,
    }),
  );
  const token = requireToken(oauth.grants);
  app.use(`${settings.pathPrefix}/drive/v3`, token, fileRoutes(drive));
  app.use(`${settings.pathPrefix}/upload/drive/v3`, token, uploadRoutes({ drive, sessions }));
  app.use(answerUnknown);
  app.use(answerErrors(settings.log));
  return app;
}
