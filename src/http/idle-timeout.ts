/**
 * Node's request with the limits it lacks: silence in either direction, response headers that never end, endless
 * interim responses, and a change of protocol that wasn't requested.
 * https://nodejs.org/api/http.html#class-httpclientrequest
 */
import { lookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { MAX_TIMER_DELAY } from '../concurrency/clock';
import { isPaused } from './direct-reads';
import { type RequestState, invalidProtocol } from './transport-error';

/** RFC 9110 15.2 sets no limit. */
const MAX_INTERIM_RESPONSES = 20;

export interface RequestTimeouts {
  /** ms without a byte in either direction. */
  idle: number;
  /** ms for all response headers once the request is sent. Headers that trickle in are never idle. */
  headers: number;
}

/** A transport for axios: https://axios-http.com/docs/req_config */
export function withTimeouts(state: RequestState, { idle, headers }: RequestTimeouts) {
  return {
    request(options: https.RequestOptions, onResponse: (response: http.IncomingMessage) => void) {
      const transport = options.protocol === 'https:' ? https : http;
      const settings = { ...options, timeout: idle };
      if (options.hostname?.endsWith('.localhost')) settings.lookup = lookupLoopback;
      const giveUp = (): void => {
        state.isTimedOut = true;
        request.destroy(new Error('timeout'));
      };
      let onIdle = giveUp;
      const request = transport.request(settings, (response) => {
        onIdle = unlessUnread(response, idle, giveUp);
        if (response.statusCode === 101) request.destroy(invalidProtocol('UPGRADE'));
        else onResponse(response);
      });
      request.on('timeout', () => onIdle());
      limitHeaderTime(request, headers, giveUp);
      limitProtocol(request);
      return request;
    },
  };
}

/**
 * The time starts at the end of the request, which may be a long upload. An upload also times out if the service stops
 * reading it while response headers trickle in.
 */
function limitHeaderTime(request: http.ClientRequest, ms: number, giveUp: () => void): void {
  request.once('socket', (socket: Socket) => {
    const { bytesRead } = socket;
    let { bytesWritten } = socket;
    const check = (): void => {
      const isSending = !request.writableFinished;
      const isMoving = socket.bytesWritten !== bytesWritten || socket.bytesRead === bytesRead;
      if (!isSending || !isMoving) return giveUp();
      bytesWritten = socket.bytesWritten;
      timer.refresh();
    };
    const timer = setTimeout(check, Math.min(ms, MAX_TIMER_DELAY));
    request.once('finish', () => timer.refresh());
    request.once('response', () => clearTimeout(timer));
    request.once('close', () => clearTimeout(timer));
  });
}

function limitProtocol(request: http.ClientRequest): void {
  let interimResponses = 0;
  request.on('information', () => {
    if (++interimResponses > MAX_INTERIM_RESPONSES) request.destroy(invalidProtocol('INTERIM'));
  });
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    request.emit('error', invalidProtocol('UPGRADE'));
  });
}

/** A connection isn't idle while received bytes wait to be read, because of a bandwidth limit or a slow disk. */
function unlessUnread(response: http.IncomingMessage, idle: number, giveUp: () => void): () => void {
  const { socket } = response;
  const onIdle = (): void => {
    if (response.readableLength === 0 && !isPaused(socket)) return giveUp();
    // The request emits `timeout` only once.
    socket.setTimeout(idle);
    socket.once('timeout', onIdle);
  };
  // Reading was paused, so the idle time starts now.
  const restart = (): unknown => socket.setTimeout(idle);
  socket.on('resume', restart);
  response.once('close', () => socket.off('timeout', onIdle).off('resume', restart));
  return onIdle;
}

/** RFC 6761 6.3: these names belong to this machine, whatever a name server says. */
const lookupLoopback: LookupFunction = (_name, options, callback) => lookup('localhost', options, callback);
