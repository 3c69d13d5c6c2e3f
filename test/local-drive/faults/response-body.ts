import type { ServerResponse } from 'node:http';
import { Throttle } from '../http/throttle';
import { corruptByte } from './corrupt-byte';
import { interceptBody } from './intercept-body';

/** Size of the chunks of a throttled body. */
const THROTTLED_CHUNK = 64 * 1024;

/** Closes the connection in place of sending the response. */
export function loseResponse(response: ServerResponse): void {
  const disconnect = () => {
    response.socket?.destroy();
    return false;
  };
  interceptBody(response, () => ({ chunk: disconnect, end: disconnect }));
}

/** Closes the connection after this many bytes of the body; Content-Length announces the whole. */
export function resetResponse(response: ServerResponse, bytes: number): void {
  let sent = 0;
  const disconnect = () => response.socket?.destroy();
  interceptBody(response, (output) => ({
    chunk: (chunk) => {
      if (sent >= bytes && sent > 0) return false;
      const part = chunk.subarray(0, bytes - sent);
      sent += part.length;
      if (sent < bytes) return output.write(part);
      if (part.length > 0) return output.write(part, disconnect) && false;
      response.flushHeaders();
      setImmediate(disconnect);
      return false;
    },
    end: () => {
      if (sent < bytes) output.end();
    },
  }));
}

/** Ends the body early without an error: with a matching Content-Length, or without one. */
export function truncateResponse(response: ServerResponse, bytes: number, length: 'short' | 'none'): void {
  let sent = 0;
  interceptBody(response, (output) => ({
    chunk: (chunk) => {
      if (sent >= bytes) return true;
      if (!response.headersSent && length === 'short') response.setHeader('Content-Length', bytes);
      if (!response.headersSent && length === 'none') response.removeHeader('Content-Length');
      const part = chunk.subarray(0, bytes - sent);
      sent += part.length;
      const flowing = output.write(part);
      if (sent >= bytes) output.end();
      return flowing;
    },
    end: () => {
      if (sent < bytes) output.end();
    },
  }));
}

/** Inverts one byte of the body. */
export function corruptResponse(response: ServerResponse, at: number): void {
  let sent = 0;
  interceptBody(response, (output) => ({
    chunk: (chunk) => {
      const index = at - sent;
      sent += chunk.length;
      return output.write(corruptByte(chunk, index));
    },
    end: () => {
      output.end();
    },
  }));
}

/** Pauses the body after this many bytes until the promise resolves. */
export function stallResponse(response: ServerResponse, bytes: number, until: Promise<unknown>): void {
  let sent = 0;
  let ended = false;
  let pending: Buffer[] | undefined;
  interceptBody(response, (output) => {
    const resume = () => {
      for (const chunk of pending ?? []) output.write(chunk);
      pending = undefined;
      bytes = Infinity;
      if (ended) output.end();
      else response.emit('drain');
    };
    return {
      chunk: (chunk) => {
        if (pending) {
          pending.push(chunk);
          return false;
        }
        const part = chunk.subarray(0, Math.max(0, bytes - sent));
        sent += chunk.length;
        if (part.length > 0) output.write(part);
        else response.flushHeaders();
        if (part.length === chunk.length) return true;
        pending = [chunk.subarray(part.length)];
        void until.then(resume, resume);
        return false;
      },
      end: () => {
        ended = true;
        if (!pending) output.end();
      },
    };
  });
}

/** Limits the rate of the body. */
export function throttleResponse(response: ServerResponse, bytesPerSecond: number): void {
  let throttle: Throttle | undefined;
  let queue: Buffer[] = [];
  let isWaiting = false;
  let hasEnded = false;
  interceptBody(response, (output) => {
    const next = (): void => {
      isWaiting = false;
      if (response.destroyed) return;
      const chunk = queue.shift();
      if (chunk) {
        output.write(chunk);
        isWaiting = true;
        throttle ??= new Throttle(bytesPerSecond);
        setTimeout(next, throttle.delayAfter(chunk.length)).unref();
      } else if (hasEnded) output.end();
      else response.emit('drain');
    };
    return {
      chunk: (chunk) => {
        queue = [...queue, ...split(chunk)];
        if (!isWaiting) next();
        return false;
      },
      end: () => {
        hasEnded = true;
        if (!isWaiting) next();
      },
    };
  });
}

function split(chunk: Buffer): Buffer[] {
  const count = Math.ceil(chunk.length / THROTTLED_CHUNK);
  return Array.from({ length: count }, (_, index) =>
    chunk.subarray(index * THROTTLED_CHUNK, (index + 1) * THROTTLED_CHUNK),
  );
}
