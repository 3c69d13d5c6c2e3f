/** The bytes of an archive: tar, compressed and encrypted as requested. */
import { freeBuffer } from '../../core/buffers';
import { AgeEncryption, type AgeRecipients } from './age';
import { gzipMembers } from './gzip-members';
import { IndexCollector } from './index-format';
import { type TarJob, readTar } from './archive-thread';
import type { ArchiveSummary } from './write-tar';

export type Compression = 'gzip' | 'none';

export interface ArchiveOptions extends TarJob {
  compression: Compression;
  /** Undefined for an archive that isn't encrypted. */
  encryption?: AgeRecipients | undefined;
}

/** `.tar`, `.tar.gz`, `.tar.age` or `.tar.gz.age` */
export function archiveExtension({
  compression,
  encryption,
}: Pick<ArchiveOptions, 'compression' | 'encryption'>): string {
  return `.tar${compression === 'gzip' ? '.gz' : ''}${encryption ? '.age' : ''}`;
}

/**
 * @param summary is updated while the archive is read
 * @returns the bytes, as fast as they are requested. Their memory is reused after the next call.
 */
export async function* archiveContent(
  { sources, exclude, compression, encryption }: ArchiveOptions,
  summary: ArchiveSummary,
): AsyncGenerator<Buffer> {
  const started = encryption && (await AgeEncryption.start(encryption));
  const index = new IndexCollector();
  const tar = readTar({ sources, exclude }, summary, (pages) => index.addPages(pages));
  const content = compression === 'gzip' ? withIndex(tar, index) : tar;
  yield* started ? encrypt(content, started) : content;
}

/** Compresses the tar, and adds the index. */
async function* withIndex(tar: AsyncIterable<Buffer>, index: IndexCollector): AsyncGenerator<Buffer> {
  const counted = (async function* () {
    for await (const chunk of tar) {
      index.tarLength += chunk.length;
      yield chunk;
    }
  })();
  for await (const block of gzipMembers(counted)) {
    index.addBlock(block.length);
    yield block;
  }
  const bytes = index.finish();
  if (bytes) yield bytes;
}

async function* encrypt(content: AsyncIterable<Buffer>, encryption: AgeEncryption): AsyncGenerator<Buffer> {
  yield encryption.header;
  for await (const chunk of content) yield* freeing(encryption.encrypt(chunk));
  yield* freeing(encryption.end());
}

function* freeing(parts: Buffer[]): Generator<Buffer> {
  for (const part of parts) {
    yield part;
    freeBuffer(part);
  }
}
