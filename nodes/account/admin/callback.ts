/** The redirect URI of browser sign-ins: RFC 6749 section 4.1.2. It requires no login to Node-RED. */
import type { NodeAPI } from 'node-red';
import type { Request, RequestHandler, Response } from 'express';
import type { SignInStatus } from '../../shared/contract/account-api';
import { catalogueLanguage, pageText } from '../../shared/runtime/catalogue';
import type { SignInSessions } from '../sign-in/sign-in-sessions';
import { type CallbackPage, sendPage } from './callback-page';

export function callback(RED: NodeAPI, sessions: SignInSessions): RequestHandler {
  const text = (key: Parameters<typeof pageText>[1]): string => pageText(RED, key);
  const page = (kind: 'done' | 'failed' | 'unknown', reason: string[] = []): CallbackPage => ({
    language: catalogueLanguage(RED),
    title: text(`${kind}_title`),
    text: [...reason, text(`${kind}_text`)],
    isSuccess: kind === 'done',
  });

  const pageFor = (status: SignInStatus | undefined): CallbackPage => {
    if (!status) return page('unknown');
    if (status.state === 'authorized') return page('done');
    return page('failed', status.error ? [status.error.message] : []);
  };

  const respond = async (request: Request, response: Response): Promise<void> => {
    const status = await sessions.handleCallback(queryIn(request.originalUrl));
    sendPage(response, status?.state === 'authorized' ? 200 : 400, pageFor(status));
  };
  return (request: Request, response: Response) => {
    // Anyone can request this page, so an unhandled rejection must not end Node-RED.
    respond(request, response).catch(() => sendPage(response, 500, page('failed')));
  };
}

/**
 * Express parses some parameters into objects.
 * @param target the request target, which need not be a valid URL (RFC 9112 section 3.2)
 */
function queryIn(target: string): URLSearchParams {
  const start = target.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : target.slice(start));
}
