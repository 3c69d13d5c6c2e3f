/** What the worker thread is to do: see archive-thread.ts. */
import type { ExtractPlaces } from '../entries/extract';
import type { InspectJob } from '../entries/inspection';
import type { ArchiveSource } from './open-archive';
import type { ReadOptions } from './read-archive';

export interface TarJob {
  /** Absolute paths of folders and files. */
  sources: readonly string[];
  /** Globs: see search/path-globs.ts. */
  exclude: readonly string[];
}

export interface UnpackJob {
  source: Extract<ArchiveSource, { path: string }>;
  places: ExtractPlaces;
  /** Globs for entries: see search/path-globs.ts; none for all entries. */
  include: readonly string[];
  /** See {@link ExtractOptions}. */
  stripTop: boolean | undefined;
  isCaseSensitive: boolean;
  /** See {@link ExtractOptions}. */
  creationMode: number;
  limits: ReadOptions;
}

export type ArchiveJob =
  ({ work: 'tar' } & TarJob) | ({ work: 'unpack' } & UnpackJob) | ({ work: 'inspect' } & InspectJob);
