/** Consumes the bytes of a response body, with backpressure as in Node's Writable but without its cost per chunk. */
export interface ByteSink {
  /**
   * Accepts the whole chunk. The caller may overwrite its memory after this returns.
   * @returns false if the caller should wait for {@link drained} before the next chunk
   */
  write(chunk: Buffer): boolean;
  /** Resolves when the next chunk may be written, also after a failure. */
  drained(): Promise<void>;
  /** Resolves when all accepted bytes are stored. @throws the first error of the sink */
  end(): Promise<void>;
}
