import type { ServerResponse } from 'node:http';
import { corruptByte } from './corrupt-byte';
import { interceptBody } from './intercept-body';

/** The endpoint does its work, then the connection breaks before a byte of the answer. */
export function loseResponse(response: ServerResponse): void {
  const cut = () => {
    response.socket?.destroy();
    return false;
  };
  interceptBody(response, () => ({ chunk: cut, end: cut }));
}

/** The connection breaks after so many bytes of the body; Content-Length promised all of it. */
export function resetResponse(response: ServerResponse, bytes: number): void {
  let passed = 0;
  const cut = () => response.socket?.destroy();
  interceptBody(response, (output) => ({
    chunk: (chunk) => {
      if (passed >= bytes && passed > 0) return false;
      const part = chunk.subarray(0, bytes - passed);
      passed += part.length;
      if (passed < bytes) return output.write(part);
      if (part.length > 0) return output.write(part, cut) && false;
      response.flushHeaders();
      setImmediate(cut);
      return false;
    },
    end: () => {
      if (passed < bytes) output.end();
    },
  }));
}

/** The body ends early, but properly: with a Content-Length that is too short, or without one. */
export function truncateResponse(response: ServerResponse, bytes: number, length: 'short' | 'none'): void {
  let passed = 0;
  interceptBody(response, (output) => ({
    chunk: (chunk) => {
      if (passed >= bytes) return true;
      if (!response.headersSent && length === 'short') response.setHeader('Content-Length', bytes);
      if (!response.headersSent && length === 'none') response.removeHeader('Content-Length');
      const part = chunk.subarray(0, bytes - passed);
      passed += part.length;
      const flowing = output.write(part);
      if (passed >= bytes) output.end();
      return flowing;
    },
    end: () => {
      if (passed < bytes) output.end();
    },
  }));
}

/** One byte of the body arrives changed. */
export function corruptResponse(response: ServerResponse, at: number): void {
  let passed = 0;
  interceptBody(response, (output) => ({
    chunk: (chunk) => {
      const index = at - passed;
      passed += chunk.length;
      return output.write(corruptByte(chunk, index));
    },
    end: () => {
      output.end();
    },
  }));
}

/** The body stops after so many bytes until the promise resolves, then goes on. */
export function stallResponse(response: ServerResponse, bytes: number, until: Promise<unknown>): void {
  let passed = 0;
  let ended = false;
  let held: Buffer[] | undefined;
  interceptBody(response, (output) => {
    const resume = () => {
      for (const chunk of held ?? []) output.write(chunk);
      held = undefined;
      bytes = Infinity;
      if (ended) output.end();
      else response.emit('drain');
    };
    return {
      chunk: (chunk) => {
        if (held) {
          held.push(chunk);
          return false;
        }
        const part = chunk.subarray(0, Math.max(0, bytes - passed));
        passed += chunk.length;
        if (part.length > 0) output.write(part);
        else response.flushHeaders();
        if (part.length === chunk.length) return true;
        held = [chunk.subarray(part.length)];
        void until.then(resume, resume);
        return false;
      },
      end: () => {
        ended = true;
        if (!held) output.end();
      },
    };
  });
}
