/** The redirect URI of browser sign-ins: RFC 6749 section 4.1.2. It requires no login to Node-RED. */
import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { NodeAPI } from 'node-red';
import type { SignInSessions } from '../sign-in/sign-in-sessions';
import type { SignInStatus } from '../../shared/contract/account-api';
import { catalogueLanguage, pageText } from '../../shared/runtime/catalogue';

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

/** The page that a browser shows after a sign-in: text only, without scripts and without data from the request. */
interface CallbackPage {
  /** BCP 47. */
  language: string;
  title: string;
  /** Paragraphs. */
  text: string[];
  isSuccess: boolean;
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 17px/1.55 system-ui, sans-serif; margin: 0; color: #1f2430; background: #f3f4f6; }
main { max-width: 30rem; margin: 14vh auto 0; padding: 2rem; border-radius: 10px; background: #fff; border-top: 5px solid #b3261e; }
main.good { border-color: #2e7d32; }
h1 { font-size: 1.35rem; margin: 0 0 .8rem; }
p { margin: 0 0 .8rem; overflow-wrap: anywhere; }
@media (max-width: 34rem) { main { margin: 0; border-radius: 0; } }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #1b1d21; }
  main { background: #26292f; }
}`;

/** The URL of the page contains the authorization code, so the page must not send it anywhere. */
function headers(): Record<string, string> {
  const style = createHash('sha256').update(STYLE).digest('base64');
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'Content-Type': 'text/html; charset=utf-8',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}

function sendPage(response: Response, status: number, page: CallbackPage): void {
  response.status(status).set(headers()).send(renderPage(page));
}

function renderPage({ language, title, text, isSuccess }: CallbackPage): string {
  const paragraphs = text.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('');
  return `<!doctype html>
<html lang="${escapeHtml(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main${isSuccess ? ' class="good"' : ''}><h1>${escapeHtml(title)}</h1>${paragraphs}</main></body></html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
