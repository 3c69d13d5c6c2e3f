/**
 * Node's own request, with an end for what has none there: nothing moves, also after the answer has begun; interim
 * answers without end; a change of protocol that nobody asked for.
 * https://nodejs.org/api/http.html#class-httpclientrequest
 */
import { lookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { isHeld } from './direct-reads';
import { type RequestState, badProtocol } from './transport-error';

/** More interim answers than this are no answer: RFC 9110 15.2 sets no limit. */
const MOST_INTERIM = 20;

/** A transport as axios takes one. @param timeout ms of silence */
export function withIdleTimeout(line: RequestState, timeout: number) {
  return {
    request(options: https.RequestOptions, onResponse: (response: http.IncomingMessage) => void) {
      const transport = options.protocol === 'https:' ? https : http;
      const lookup = options.hostname?.endsWith('.localhost') ? lookUpLoopback : undefined;
      const settings = { ...options, timeout, ...(lookup ? { lookup } : {}) };
      const giveUp = (): void => {
        line.silent = true;
        request.destroy(new Error('silence'));
      };
      let onSilence = giveUp;
      const request = transport.request(settings, (response) => {
        onSilence = unlessUnread(response, timeout, giveUp);
        if (response.statusCode === 101) request.destroy(badProtocol('UPGRADE'));
        else onResponse(response);
      });
      request.on('timeout', () => onSilence());
      let interim = 0;
      request.on('information', () => {
        if (++interim > MOST_INTERIM) request.destroy(badProtocol('INTERIM'));
      });
      request.on('upgrade', (_response, socket) => {
        socket.destroy();
        request.emit('error', badProtocol('UPGRADE'));
      });
      return request;
    },
  };
}

/** Nothing moves either while what has come waits to be read: where the bandwidth is limited, or the disk is slow. */
function unlessUnread(response: http.IncomingMessage, timeout: number, giveUp: () => void): () => void {
  const { socket } = response;
  const onSilence = (): void => {
    if (response.readableLength === 0 && !isHeld(socket)) return giveUp();
    // The request tells of one silence only.
    socket.setTimeout(timeout);
    socket.once('timeout', onSilence);
  };
  // It was paused, as more had come than was read: silence begins now.
  const renew = (): unknown => socket.setTimeout(timeout);
  socket.on('resume', renew);
  response.once('close', () => socket.off('timeout', onSilence).off('resume', renew));
  return onSilence;
}

/** RFC 6761 6.3: such names are this machine's, whatever a name server says. */
const lookUpLoopback: LookupFunction = (_name, options, found) => lookup('localhost', options, found);
