/**
 * What finished nodes show in their status: `first.txt · 13 B`, `12 files`, `3 removed`. Other texts are in status.ts,
 * such as those of nodes that work or wait, and after an error; that of a running transfer is in progress.ts.
 */
import type { NodeAPI } from 'node-red';
import type { DriveFile } from '../../../src/index';
import { type CatalogueKey, catalogueLanguage, catalogueText, localizeSize } from './catalogue';

/** What was counted. Each has a text for one and a text for several in the catalogue. */
type Counted =
  | 'files'
  | 'folders'
  | 'items'
  | 'changes'
  | 'differences'
  | 'removed'
  | 'dry_run'
  | 'skipped'
  | 'other_series'
  | keyof SyncCounts
  | (typeof PLANNED)[keyof typeof PLANNED];
/** What a dry run calls the changes of a synchronization. */
const PLANNED = { created: 'to_create', updated: 'to_update', removed: 'to_remove' } as const;
/** The result for one file or folder. */
type FileResult =
  | 'created'
  | 'exists'
  | 'moved'
  | 'copied'
  | 'restored'
  | 'not_in_trash'
  | 'renamed'
  | 'changed'
  | 'shared'
  | 'unshared'
  | 'access_removed'
  | 'not_shared_with'
  | 'skipped';

/** Numbers of files. */
interface SyncCounts {
  created: number;
  updated: number;
  removed: number;
  unchanged: number;
}

export class StatusTexts {
  constructor(private readonly RED: NodeAPI) {}

  /** `first.txt · 13 B` @param transferred bytes, for files whose size the service doesn't report */
  transferred(file: DriveFile, transferred: number): string {
    const size = Number(file.size ?? transferred);
    return withName(file, this.size(Number.isFinite(size) ? size : transferred));
  }

  /** `Backups · created` @param more such as `access removed · still open by link` */
  file(file: DriveFile, result: FileResult, more?: 'open_by_link' | 'still_shared'): string {
    return [withName(file, this.text(result)), ...(more ? [this.text(more)] : [])].join(' · ');
  }

  /** `12 files` @param isTruncated there are more: `12+ files` */
  count(number: number, what: Counted, isTruncated = false): string {
    const isOne = !isTruncated && new Intl.PluralRules(this.language).select(number) === 'one';
    const formatted = `${this.number(number)}${isTruncated ? '+' : ''}`;
    return this.text(`${what}_${isOne ? 'one' : 'other'}`, { number: formatted });
  }

  /** `12,345 items · 1.2 GB`: files, folders and links. `12,345 items · 1.2 GB · incomplete`, or `… · no index` */
  archive(entries: number, bytes: number, isComplete = true, isIndexed = true): string {
    const marks = [
      ...(isComplete ? [] : [this.mark('incomplete')]),
      ...(isIndexed ? [] : [this.text('not_indexed')]),
    ];
    return [this.count(entries, 'items'), this.size(bytes), ...marks].join(' · ');
  }

  /**
   * `incomplete`; `new folder`, which was missing on the drive; `only this project's files are visible`, if the account
   * sees no files of other projects; `run in progress`
   */
  mark(what: 'incomplete' | 'new_folder' | 'own_project' | 'sync_running'): string {
    return this.text(what);
  }

  /** `12,345 items · 1.2 MB uploaded` */
  uploaded(entries: number, bytes: number): string {
    return [this.count(entries, 'items'), this.text('uploaded', { size: this.size(bytes) })].join(' · ');
  }

  /** `named pipe`; a code of the system as it is */
  skipReason(reason: string): string {
    const special = SPECIAL.find((each) => each === reason);
    return special ? this.text(`skipped_${special}`) : reason;
  }

  /** `12 created · 3 updated`; with a dry run `12 to create (dry run)` */
  synced(counts: SyncCounts, isDryRun: boolean): string {
    const changes = (['created', 'updated', 'removed'] as const).filter((what) => counts[what] > 0);
    const shown = changes.map((what) => this.count(counts[what], isDryRun ? PLANNED[what] : what));
    const result = shown.join(' · ') || this.count(counts.unchanged, 'unchanged');
    return isDryRun ? this.text('sync_dry_run', { result }) : result;
  }

  /** `1,204 / 20,000` */
  progress(done: number, total: number): string {
    return `${this.number(done)} / ${this.number(total)}`;
  }

  /** `7 % used` */
  used(percent: number): string {
    return this.text('used', { number: String(Math.round(percent)) });
  }

  private get language(): string {
    return catalogueLanguage(this.RED);
  }

  private text(key: CatalogueKey<'result'>, params: Record<string, string> = {}): string {
    return catalogueText(this.RED, 'result', key, params) ?? key;
  }

  private number(value: number): string {
    return new Intl.NumberFormat(this.language).format(value);
  }

  private size(bytes: number): string {
    return localizeSize(bytes, this.language);
  }
}

function withName({ name = '' }: DriveFile, what: string): string {
  return [shortName(name), what].filter((part) => part !== '').join(' · ');
}

/** Reasons that aren't a code of the system. */
const SPECIAL = ['socket', 'fifo', 'device', 'vanished'] as const;

/** Characters of a name in a status, which has a single line below the node. */
const MAX_LENGTH = 40;

/** A name on one line. A long one loses its middle, because its end has the number or the extension. */
function shortName(name: string): string {
  // Control and format characters could break the line or change the direction of the text.
  const characters = [...name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')];
  const half = MAX_LENGTH / 2;
  const shown =
    characters.length > MAX_LENGTH
      ? [...characters.slice(0, half - 1), '…', ...characters.slice(-half)]
      : characters;
  // The editor looks up a status that begins with a letter in the catalogue, and would fill in `__x__` and `$t(x)`.
  return shown.join('').replaceAll('__', '_\u2060_').replaceAll('$t(', '$\u2060t(');
}
