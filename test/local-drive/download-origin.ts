import express from 'express';
import { randomToken } from './oauth/tokens';
import { fileNotFound } from './http/api-error';
import { handleErrors } from './http/error-handlers';
import { attachContext } from './http/request-context';
import { listenOnLoopback, type Listener } from './http/listen';
import { RequestLog } from './http/request-log';
import { sendContent } from './api/get-file';
import { existingFile, type DriveBackend } from './api/backend';
import { sendExport } from './api/export';
import { queryOf } from './http/query-parameters';
import type { Faults } from './faults/faults';

/** The second origin, to which downloads are redirected: another port, and URLs that need no access token. */
export interface DownloadOrigin {
  readonly url: string;
  /** Received requests: tests check that they carry no Authorization header. */
  readonly requests: RequestLog;
  downloadUrl(fileId: string): string;
  /** Export URL of a Workspace document, without the `mimeType` parameter. It needs no access token. */
  exportUrl(fileId: string): string;
  close(): Promise<void>;
}

/** Starts the second origin on a free port. */
export async function startDownloadOrigin(
  drive: () => DriveBackend,
  faults: Faults,
  log: (line: string) => void,
): Promise<DownloadOrigin> {
  const requests = new RequestLog();
  const tickets = new Map<string, string>();
  const app = express().disable('x-powered-by').disable('etag');
  app.use((request, _response, next) => {
    requests.add(attachContext(request, drive().clock.now()).recorded);
    next();
  });
  app.use(faults.middleware);
  app.get('/content/:ticket', async (request, response) => {
    const id = tickets.get(request.params.ticket);
    if (id === undefined) throw fileNotFound(request.params.ticket);
    await sendContent(drive(), existingFile(drive(), id), request, response);
  });
  app.get('/export/:ticket', async (request, response) => {
    const id = tickets.get(request.params.ticket);
    if (id === undefined) throw fileNotFound(request.params.ticket);
    const format = queryOf(request).get('mimeType') ?? '';
    await sendExport(drive(), existingFile(drive(), id), format, response);
  });
  app.use(handleErrors(log));
  const listener: Listener = await listenOnLoopback(app, 0);
  const ticketFor = (fileId: string): string => {
    const ticket = randomToken(24);
    tickets.set(ticket, fileId);
    return ticket;
  };
  return {
    url: listener.url,
    requests,
    downloadUrl: (fileId) => `${listener.url}/content/${ticketFor(fileId)}`,
    exportUrl: (fileId) => `${listener.url}/export/${ticketFor(fileId)}`,
    close: () => listener.close(),
  };
}
