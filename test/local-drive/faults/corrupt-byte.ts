/** Inverts the byte at `index` of a stream; undefined, or an index past the end, changes nothing. */
export async function* corruptChunks(
  chunks: AsyncIterable<Buffer>,
  index: number | undefined,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const chunk of chunks) {
    const at = index === undefined ? -1 : index - offset;
    offset += chunk.length;
    yield corruptByte(chunk, at);
  }
}

/** Inverts the byte at a position of a chunk, if the chunk has one there. */
export function corruptByte(chunk: Buffer, at: number): Buffer {
  const byte = chunk[at];
  if (byte === undefined) return chunk;
  const copy = Buffer.from(chunk);
  copy[at] = byte ^ 0xff;
  return copy;
}
