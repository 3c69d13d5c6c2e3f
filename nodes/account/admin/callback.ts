/** Where the service sends the browser after a sign-in: RFC 6749 4.1.2. Nobody has to be logged in here. */
import type { NodeAPI } from 'node-red';
import type { Request, RequestHandler, Response } from 'express';
import { pageText } from '../../shared/runtime/error-message';
import type { AccountAdmin } from './account-admin';
import { type CallbackPage, sendPage } from './callback-page';
import type { SignInStatus } from '../../shared/contract/account-api';

export function callback(RED: NodeAPI, admin: AccountAdmin): RequestHandler {
  const text = (key: string): string => pageText(RED, key);
  const page = (kind: 'done' | 'failed' | 'unknown', reason: string[] = []): CallbackPage => ({
    language: text('language'),
    title: text(`${kind}_title`),
    text: [...reason, text(`${kind}_text`)],
    good: kind === 'done',
  });

  const pageFor = (ended: SignInStatus | undefined): CallbackPage => {
    if (!ended) return page('unknown');
    if (ended.state === 'authorized') return page('done');
    return page('failed', ended.error ? [ended.error.message] : []);
  };

  const answer = async (request: Request, response: Response): Promise<void> => {
    const ended = await admin.handleCallback(queryOf(request.originalUrl));
    sendPage(response, ended?.state === 'authorized' ? 200 : 400, pageFor(ended));
  };
  return (request: Request, response: Response) => {
    // Anybody may ask for this page: nothing that they send may end Node-RED.
    answer(request, response).catch(() => sendPage(response, 500, page('failed')));
  };
}

/** @param target as it came, which need be no address (RFC 9112 3.2). Express would make objects of some parameters. */
function queryOf(target: string): URLSearchParams {
  const start = target.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : target.slice(start));
}
