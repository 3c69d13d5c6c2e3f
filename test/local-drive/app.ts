/** Mounts all routes of the local drive. */
import express, { type Express } from 'express';
import type { Faults } from './faults/faults';
import { faultRoutes } from './faults/routes';
import { requireToken } from './api/authorize';
import type { DriveBackend } from './api/backend';
import { fileRoutes } from './api/routes';
import { oauthRoutes } from './oauth/routes';
import type { OAuthBackend } from './oauth/token-endpoint';
import type { Settings } from './options';
import { handleErrors, rejectUnknownUrl } from './http/error-handlers';
import { attachContext } from './http/request-context';
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
  app.use(`${settings.pathPrefix}/drive/v3`, token, fileRoutes(drive));
  app.use(`${settings.pathPrefix}/upload/drive/v3`, token, uploadRoutes({ drive, sessions }));
  app.use(rejectUnknownUrl);
  app.use(handleErrors(settings.log));
  return app;
}
