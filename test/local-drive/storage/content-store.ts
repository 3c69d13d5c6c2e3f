import { randomUUID } from 'node:crypto';
import { constants, copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Content } from './file-record';
import { ContentWriter } from './content-writer';
import { Digester, INLINE_LIMIT, digestsOf, type Algorithm, type IncrementalDigest } from './digester';

/** When checksums are computed: while the bytes arrive, or when a response first needs them. */
export type DigestMode = 'streaming' | 'lazy';

const DEFAULT_ALGORITHMS: Algorithm[] = ['md5', 'sha256'];

/** The content of an unfinished upload, appended to by one or more requests. */
export interface IncomingContent {
  readonly blob: string;
  /** Bytes stored so far. */
  size: number;
  digest?: IncrementalDigest;
}

/** The contents of all files, one file each below `content/`. */
export class ContentStore {
  private readonly digester = new Digester();

  private constructor(
    private readonly dir: string,
    private readonly mode: DigestMode,
  ) {}

  static async open(dataDir: string, mode: DigestMode): Promise<ContentStore> {
    const dir = join(dataDir, 'content');
    await mkdir(dir, { recursive: true });
    return new ContentStore(dir, mode);
  }

  pathOf(blob: string): string {
    return join(this.dir, blob);
  }

  create(): IncomingContent {
    return { blob: randomUUID(), size: 0 };
  }

  /** Opens incoming content for appending. */
  async writer(incoming: IncomingContent): Promise<ContentWriter> {
    const path = this.pathOf(incoming.blob);
    return ContentWriter.open(path, (size) => {
      incoming.size = size;
      if (this.mode === 'lazy' || size <= INLINE_LIMIT) return;
      incoming.digest ??= this.digester.start(path, DEFAULT_ALGORITHMS);
      incoming.digest.advance(size);
    });
  }

  /**
   * Completes incoming content. Digests that are still being computed follow in `later`, which is undefined if
   * there are none and resolves to undefined if computing them fails.
   */
  async complete(
    incoming: IncomingContent,
  ): Promise<{ content: Content; later?: Promise<Partial<Content> | undefined> }> {
    const { blob, size, digest } = incoming;
    if (size === 0) {
      await this.discard(incoming);
      return { content: { size, ...digestsOf(Buffer.alloc(0), DEFAULT_ALGORITHMS) } };
    }
    if (digest) return { content: { blob, size }, later: digest.finish().catch(() => undefined) };
    const digests =
      size <= INLINE_LIMIT ? await this.digester.ofFile(this.pathOf(blob), size, DEFAULT_ALGORITHMS) : {};
    return { content: { blob, size, ...digests } };
  }

  /** Deletes incoming content. */
  async discard(incoming: IncomingContent): Promise<void> {
    incoming.digest?.discard();
    await this.remove(incoming);
  }

  /** Copies content to a new blob. */
  async copy(content: Content): Promise<Content> {
    if (content.blob === undefined) return { ...content };
    const blob = randomUUID();
    await copyFile(this.pathOf(content.blob), this.pathOf(blob), constants.COPYFILE_FICLONE);
    return { ...content, blob };
  }

  async remove(content: { blob?: string }): Promise<void> {
    if (content.blob !== undefined) await rm(this.pathOf(content.blob), { force: true });
  }

  /** Deletes blobs that nothing refers to, such as uploads interrupted by a crash. */
  async removeUnreferenced(referenced: Set<string>): Promise<void> {
    const found = await readdir(this.dir);
    const unused = found.filter((each) => !referenced.has(each));
    await Promise.all(unused.map((blob) => this.remove({ blob })));
  }

  /** Computes the missing digests and adds them to `content`. @returns whether any were missing */
  async addDigests(content: Content, algorithms: Algorithm[]): Promise<boolean> {
    const missing = algorithms.filter((each) => content[each] === undefined);
    if (missing.length === 0) return false;
    const digests =
      content.blob === undefined
        ? digestsOf(Buffer.alloc(0), missing)
        : await this.digester.ofFile(this.pathOf(content.blob), content.size, missing);
    Object.assign(content, digests);
    return true;
  }

  async close(): Promise<void> {
    await this.digester.close();
  }
}
