/**
 * Node's request with the limits it lacks: silence in either direction, response headers that never end, endless
 * interim responses, and a change of protocol that wasn't requested.
 * https://nodejs.org/api/http.html#class-httpclientrequest
 */
import { lookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { TimeLimit } from '../core/clock';
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
      // For TunnelAgent. axios turns off the timeout of the socket.
      const settings = { ...options, timeout: idle };
      if (options.hostname?.endsWith('.localhost')) settings.lookup = lookupLoopback;
      const giveUp = (): void => {
        state.isTimedOut = true;
        request.destroy(new Error('timeout'));
      };
      const request = transport.request(settings, (response) => {
        if (response.statusCode === 101) request.destroy(invalidProtocol('UPGRADE'));
        else onResponse(response);
      });
      limitIdleTime(request, idle, giveUp);
      limitHeaderTime(request, headers, giveUp);
      limitProtocol(request);
      return request;
    },
  };
}

/** Unlike the timeout of a socket, it doesn't end while received bytes wait to be read. */
export function limitIdleTime(request: http.ClientRequest, ms: number, giveUp: () => void): void {
  let response: http.IncomingMessage | undefined;
  request.once('response', (received) => (response = received));
  request.once('socket', (socket: Socket) => {
    let last = activityOf(socket);
    const hasProgress = (): boolean => {
      const previous = last;
      last = activityOf(socket);
      // Reading has paused, because of a bandwidth limit or a slow disk.
      const isUnread = (response !== undefined && response.readableLength > 0) || isPaused(socket);
      return isUnread || last !== previous;
    };
    const limit = new TimeLimit(ms, giveUp, hasProgress);
    request.once('close', () => limit.stop());
  });
}

/** @returns a value that changes when the socket connects, reads or writes */
function activityOf(socket: Socket): string {
  const { readyState, bytesRead, bytesWritten, writableLength } = socket;
  // A large chunk is sent in parts. The timeout of Node's sockets depends on this value too.
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return [readyState, bytesRead, bytesWritten, writableLength, handle?.writeQueueSize].join(' ');
}

/**
 * The time starts at the end of the request, which may be a long upload. An upload also times out if the service stops
 * reading it while response headers trickle in.
 */
function limitHeaderTime(request: http.ClientRequest, ms: number, giveUp: () => void): void {
  request.once('socket', (socket: Socket) => {
    const { bytesRead } = socket;
    let { bytesWritten } = socket;
    const isSending = (): boolean => {
      const isMoving = socket.bytesWritten !== bytesWritten || socket.bytesRead === bytesRead;
      bytesWritten = socket.bytesWritten;
      return isMoving && !request.writableFinished;
    };
    const limit = new TimeLimit(ms, giveUp, isSending);
    request.once('finish', () => limit.restart());
    request.once('response', () => limit.stop());
    request.once('close', () => limit.stop());
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

/** RFC 6761 6.3: these names belong to this machine, whatever a name server says. */
const lookupLoopback: LookupFunction = (_name, options, callback) => lookup('localhost', options, callback);
