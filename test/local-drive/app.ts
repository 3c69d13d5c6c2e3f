/** Mounts all routes of the local drive. */
import express, { type Express, type RequestHandler, type Router } from 'express';
import type { Faults } from './faults/faults';
import { faultRoutes } from './faults/routes';
import { requireToken } from './api/authorize';
import type { DriveBackend } from './api/backend';
import { viewFor } from './api/account-view';
import { fileRoutes } from './api/routes';
import { oauthRoutes } from './oauth/routes';
import type { OAuthBackend } from './oauth/token-endpoint';
import type { Settings } from './options';
import { handleErrors, rejectUnknownUrl } from './http/error-handlers';
import { attachContext, contextOf } from './http/request-context';
import type { RequestLog } from './http/request-log';
import type { UploadSessions } from './upload/upload-sessions';
import { uploadRoutes } from './upload/routes';

export interface AppOptions {
  settings: Settings;
  drive: DriveBackend;
  sessions: UploadSessions;
  oauth: OAuthBackend;
  faults: Faults;
  requests: RequestLog;
  origin: () => string;
}

/** Creates the Express app. Request bodies are not parsed here: handlers read them as streams. */
export function createApp({
  settings,
  drive,
  sessions,
  oauth,
  faults,
  requests,
  origin,
}: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.use((request, response, next) => {
    const { recorded } = attachContext(request, settings.clock.now());
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
  const uploads = (view: DriveBackend): Router => uploadRoutes({ drive: view, sessions });
  app.use(`${settings.pathPrefix}/drive/v3`, token, routesByAccount(drive, oauth, fileRoutes));
  app.use(`${settings.pathPrefix}/upload/drive/v3`, token, routesByAccount(drive, oauth, uploads));
  app.use(rejectUnknownUrl);
  app.use(handleErrors(settings.log));
  return app;
}

/** Routes on the drive as the sender of the request sees it: the user or a service account. */
function routesByAccount(
  drive: DriveBackend,
  { serviceAccounts }: OAuthBackend,
  create: (view: DriveBackend) => Router,
): RequestHandler {
  const everything = create(drive);
  const views = new Map<string | undefined, Promise<Router>>();
  return async (request, response, next) => {
    if (serviceAccounts.size === 0) return everything(request, response, next);
    const { account } = contextOf(request);
    const router = views.get(account) ?? viewFor(drive, account).then(create);
    views.set(account, router);
    return (await router)(request, response, next);
  };
}
