/**
 * The ingress of Home Assistant, as its code and the configuration of the Node-RED add-on describe it: Home Assistant and
 * the Supervisor keep the browser's Host and add headers, and the add-on's nginx sets the scheme to the one it sees.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PathProxy, startPathProxy } from '../support/http/path-proxy';

const TOKEN = 'zP3vJm5w0XkQd8sYt1uA7cRn2eLh9fBg';
const PATH = `/api/hassio_ingress/${TOKEN}`;
const COOKIE = 'ingress_session=canary-ingress-session';

export interface Ingress extends PathProxy {
  /** A page with Node-RED in an iframe, as Home Assistant shows it. */
  frontend: string;
  /** The session cookie, which the frontend sets. */
  cookie: { name: string; value: string; url: string; sameSite: 'Strict' };
}

/** @param target URL of Node-RED */
export async function startIngress(target: string): Promise<Ingress> {
  const proxy = await startPathProxy(target, {
    path: PATH,
    answer: answerWithoutNodeRed,
    headers: (headers) => ({
      ...headers,
      'accept-encoding': '',
      'x-ingress-path': PATH,
      'x-forwarded-for': '192.168.1.20, 172.30.32.1, 172.30.32.2',
      'x-forwarded-host': headers.host,
      'x-forwarded-proto': 'http',
      'x-nginx-proxy': 'true',
    }),
  });
  const [name = '', value = ''] = COOKIE.split('=');
  const frontend = `${new URL(proxy.url).origin}/hassio/ingress/node-red`;
  return { ...proxy, frontend, cookie: { name, value, url: proxy.url, sameSite: 'Strict' } };
}

function answerWithoutNodeRed({ url, headers }: IncomingMessage, response: ServerResponse): boolean {
  if (url === '/hassio/ingress/node-red') {
    response.setHeader('Content-Type', 'text/html');
    response.end(
      `<!doctype html><title>Home Assistant</title><iframe src="${PATH}/" width="1200" height="800"></iframe>`,
    );
    return true;
  }
  if (headers.cookie?.includes(COOKIE)) return false;
  response.writeHead(401).end();
  return true;
}
