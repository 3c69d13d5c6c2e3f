import { archiveContent } from '../../../src/backup/archive/archive-content';
import { newSummary } from '../../../src/backup/archive/write-tar';

type PackOptions = Partial<Omit<Parameters<typeof archiveContent>[0], 'sources'>>;

/** An archive of a folder on disk, by default with an index. */
export async function packed(source: string, more: PackOptions = {}): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const options = { sources: [source], exclude: [], compression: 'gzip', ...more } as const;
  for await (const chunk of archiveContent(options, newSummary())) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
