import type { ServerResponse } from 'node:http';

/** The response as it would be without a fault. */
export interface Output {
  /** False asks to wait for `drain`. */
  write(chunk: Buffer, written?: () => void): boolean;
  end(): void;
}

/** What a fault does with the pieces of a response body. */
export interface BodyHandler {
  chunk(chunk: Buffer): boolean;
  end(): void;
}

/** Puts a handler between the endpoint and the response; headers are not sent before its first write. */
export function interceptBody(response: ServerResponse, make: (output: Output) => BodyHandler): void {
  const write = response.write.bind(response) as (chunk: Buffer, written?: () => void) => boolean;
  const end = response.end.bind(response) as () => void;
  const handler = make({ write, end });
  const take = (chunk: unknown, encoding: unknown): boolean => {
    if (chunk instanceof Uint8Array) return handler.chunk(Buffer.from(chunk));
    if (typeof chunk !== 'string') return true;
    return handler.chunk(
      Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'),
    );
  };
  response.write = ((chunk: unknown, encoding?: unknown) => take(chunk, encoding)) as typeof response.write;
  response.end = ((chunk?: unknown, encoding?: unknown) => {
    take(chunk, encoding);
    handler.end();
    return response;
  }) as typeof response.end;
}
