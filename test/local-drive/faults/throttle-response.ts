/** The fault `throttle`: an answer that comes slowly. */
import type { ServerResponse } from 'node:http';
import { Throttle } from '../http/throttle';
import { interceptBody } from './intercept-body';

const PIECE = 64 * 1024;

/** The body leaves no faster than so many bytes a second, in small pieces. */
export function throttleResponse(response: ServerResponse, bytesPerSecond: number): void {
  let throttle: Throttle | undefined;
  let pieces: Buffer[] = [];
  let isWaiting = false;
  let hasEnded = false;
  interceptBody(response, (output) => {
    const next = (): void => {
      isWaiting = false;
      // Who has gone away takes nothing any more.
      if (response.destroyed) return;
      const piece = pieces.shift();
      if (piece) {
        output.write(piece);
        isWaiting = true;
        throttle ??= new Throttle(bytesPerSecond);
        setTimeout(next, throttle.delayAfter(piece.length)).unref();
      } else if (hasEnded) output.end();
      else response.emit('drain');
    };
    return {
      chunk: (chunk) => {
        pieces = [...pieces, ...cut(chunk)];
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

function cut(chunk: Buffer): Buffer[] {
  const count = Math.ceil(chunk.length / PIECE);
  return Array.from({ length: count }, (_, index) => chunk.subarray(index * PIECE, (index + 1) * PIECE));
}
