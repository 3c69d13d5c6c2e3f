import { randomUUID } from 'node:crypto';
import express from 'express';
import { ROOT, minimalFileRoutes, type MinimalFile, type MinimalFiles } from './minimal/files';
import { minimalDeviceCodes, minimalOAuthRoutes, type MinimalOAuth } from './minimal/oauth';
import { OAuthError } from './oauth/oauth-error';
import { ApiError } from './http/api-error';
import { handleErrors, rejectUnknownUrl } from './http/error-handlers';
import { systemClock, type Clock } from './clock';
import { attachContext } from './http/request-context';
import { listenOnLoopback, type Listener } from './http/listen';
import { RequestLog } from './http/request-log';

/**
 * A service with exactly the requests of the API specification: no paging, no metadata requests, no resumable
 * uploads, three search terms, no error reasons. Code that works with it works with any conforming service.
 */
export interface MinimalService {
  readonly url: string;
  readonly port: number;
  readonly requests: RequestLog;
  readonly files: MinimalFiles;
  /** Adds a file, or a folder with {@link MINIMAL_FOLDER}. The top folder is `root`. @returns its id */
  add(file: { name: string; parent?: string; mimeType?: string; content?: string | Buffer }): string;
  approve(userCode: string): boolean;
  deny(userCode: string): boolean;
  close(): Promise<void>;
}

export interface MinimalServiceOptions {
  client?: { id: string; secret: string };
  token?: string;
  refreshToken?: string;
  /** Seconds between polls. */
  interval?: number;
  clock?: Clock;
}

/** Different from Google's, to detect clients with a hard-coded folder type. */
export const MINIMAL_FOLDER = 'application/vnd.minimal-apps.folder';

/** Starts the service on a free port of loopback. */
export async function startMinimalService(options: MinimalServiceOptions = {}): Promise<MinimalService> {
  const { clock = systemClock, interval = 5 } = options;
  const requests = new RequestLog();
  const files: MinimalFiles = new Map();
  const oauth: MinimalOAuth = {
    client: options.client ?? { id: 'minimal-client', secret: 'minimal-secret' },
    refreshTokens: new Set(options.refreshToken === undefined ? [] : [options.refreshToken]),
    accessTokens: new Set(options.token === undefined ? [] : [options.token]),
    devices: minimalDeviceCodes(clock, interval),
    interval,
    origin: () => listener.url,
  };
  const add: MinimalService['add'] = ({ name, parent = ROOT, mimeType = 'text/plain', content = '' }) => {
    const file: MinimalFile = {
      id: randomUUID(),
      name,
      mimeType,
      parents: [parent],
      content: Buffer.from(content),
    };
    files.set(file.id, file);
    return file.id;
  };
  files.set(ROOT, { id: ROOT, name: '', mimeType: MINIMAL_FOLDER, parents: [], content: Buffer.alloc(0) });
  const listener: Listener = await listenOnLoopback(createApp(requests, files, oauth, clock), 0);
  return {
    url: listener.url,
    port: listener.port,
    requests,
    files,
    add,
    approve: (userCode) => oauth.devices.decide(userCode, 'approve'),
    deny: (userCode) => oauth.devices.decide(userCode, 'deny'),
    close: () => listener.close(),
  };
}

function createApp(requests: RequestLog, files: MinimalFiles, oauth: MinimalOAuth, clock: Clock) {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.use((request, response, next) => {
    const { recorded } = attachContext(request, clock.now());
    requests.add(recorded);
    response.once('finish', () => {
      recorded.status = response.statusCode;
    });
    next();
  });
  app.use(minimalOAuthRoutes(oauth));
  app.use((request, _response, next) => {
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (!oauth.accessTokens.has(token ?? '')) throw new ApiError(401, 'authError', 'Invalid Credentials');
    next();
  });
  app.use(minimalFileRoutes(files));
  app.use(rejectUnknownUrl);
  app.use(handleOAuthErrors);
  app.use(handleErrors(() => undefined));
  return app;
}

const handleOAuthErrors: express.ErrorRequestHandler = (error, request, response, next) => {
  if (!(error instanceof OAuthError)) {
    next(error);
    return;
  }
  request.resume();
  // The specification has no error_description.
  response.status(error.status).json({ error: error.error });
};
