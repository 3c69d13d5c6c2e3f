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
 * A service that speaks exactly what the specification of the interface shows and refuses everything else: no
 * paging, no metadata request, no resumable upload, three search terms, no error reasons. What works against it
 * works against any service that follows the specification.
 */
export interface MinimalService {
  readonly url: string;
  readonly port: number;
  readonly requests: RequestLog;
  readonly files: MinimalFiles;
  /** Adds a file, or with `folderMimeType` a folder; its id. The top folder is `root`. */
  add(file: { name: string; parent?: string; mimeType?: string; content?: string | Buffer }): string;
  approve(userCode: string): boolean;
  deny(userCode: string): boolean;
  close(): Promise<void>;
}

export interface MinimalServiceOptions {
  client?: { id: string; secret: string };
  token?: string;
  refreshToken?: string;
  /** Seconds between two polls. */
  interval?: number;
  clock?: Clock;
}

/** Not the vendor's: a client that has it built in finds no folder here. */
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
  app.use(answerOAuthErrors);
  app.use(handleErrors(() => undefined));
  return app;
}

const answerOAuthErrors: express.ErrorRequestHandler = (error, request, response, next) => {
  if (!(error instanceof OAuthError)) {
    next(error);
    return;
  }
  request.resume();
  // Failures of the token endpoint are told by `error` alone.
  response.status(error.status).json({ error: error.error });
};
