import type { ServerResponse } from 'node:http';

/** The unmodified response. */
export interface Output {
  /** @returns false if the caller should wait for `drain` */
  write(chunk: Buffer, written?: () => void): boolean;
  end(): void;
}

/** Processes the chunks of a response body. */
export interface BodyHandler {
  chunk(chunk: Buffer): boolean;
  end(): void;
}

/** Routes a response body through a handler. Headers are sent with the handler's first write. */
export function interceptBody(
  response: ServerResponse,
  createHandler: (output: Output) => BodyHandler,
): void {
  const write = response.write.bind(response) as (chunk: Buffer, written?: () => void) => boolean;
  const end = response.end.bind(response) as () => void;
  const handler = createHandler({ write, end });
  const handleChunk = (chunk: unknown, encoding: unknown): boolean => {
    if (chunk instanceof Uint8Array) return handler.chunk(Buffer.from(chunk));
    if (typeof chunk !== 'string') return true;
    return handler.chunk(
      Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'),
    );
  };
  response.write = ((chunk: unknown, encoding?: unknown) =>
    handleChunk(chunk, encoding)) as typeof response.write;
  response.end = ((chunk?: unknown, encoding?: unknown) => {
    handleChunk(chunk, encoding);
    handler.end();
    return response;
  }) as typeof response.end;
}
