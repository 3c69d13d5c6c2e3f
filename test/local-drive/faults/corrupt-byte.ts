/** A content with one byte changed. @param index of that byte; undefined, or one that never comes, changes nothing */
export async function* corruptChunks(
  chunks: AsyncIterable<Buffer>,
  index: number | undefined,
): AsyncGenerator<Buffer> {
  let passed = 0;
  for await (const chunk of chunks) {
    const at = index === undefined ? -1 : index - passed;
    passed += chunk.length;
    yield corruptByte(chunk, at);
  }
}

/** @returns the chunk itself where it has no byte there */
export function corruptByte(chunk: Buffer, at: number): Buffer {
  const byte = chunk[at];
  if (byte === undefined) return chunk;
  const copy = Buffer.from(chunk);
  copy[at] = byte ^ 0xff;
  return copy;
}
