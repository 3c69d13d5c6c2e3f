import express from 'express';
import { randomKey } from './oauth/secrets';
import { fileNotFound } from './service/api-error';
import { answerErrors } from './service/answer-error';
import { beginExchange } from './service/exchange';
import { listenOnLoopback, type Listener } from './service/listen';
import { RequestLog } from './service/recorder';
import { sendContent } from './files/download';
import { existingFile, type DriveContext } from './files/drive';
import { sendExport } from './files/export';
import { queryOf } from './service/parameters';
import type { Faults } from './faults/faults';

/** The origin that downloads are redirected to: another port, its own addresses, no tokens. */
export interface DownloadOrigin {
  readonly url: string;
  /** What it received: a test looks here for an Authorization header that should not have come. */
  readonly requests: RequestLog;
  addressFor(fileId: string): string;
  /** Of a native document's exports, without their format; everybody who has it may read them. */
  exportsOf(fileId: string): string;
  close(): Promise<void>;
}

/** Starts the second origin. */
export async function startDownloadOrigin(
  drive: () => DriveContext,
  faults: Faults,
  log: (line: string) => void,
): Promise<DownloadOrigin> {
  const requests = new RequestLog();
  const tickets = new Map<string, string>();
  const app = express().disable('x-powered-by').disable('etag');
  app.use((request, _response, next) => {
    requests.add(beginExchange(request, drive().clock.now()).recorded);
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
  app.use(answerErrors(log));
  const listener: Listener = await listenOnLoopback(app, 0);
  const ticketFor = (fileId: string): string => {
    const ticket = randomKey(24);
    tickets.set(ticket, fileId);
    return ticket;
  };
  return {
    url: listener.url,
    requests,
    addressFor: (fileId) => `${listener.url}/content/${ticketFor(fileId)}`,
    exportsOf: (fileId) => `${listener.url}/export/${ticketFor(fileId)}`,
    close: () => listener.close(),
  };
}
