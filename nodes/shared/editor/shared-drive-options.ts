/**
 * The shared drives as options of a select, by name. Google returns 100 at a time: if there are more, a field finds
 * them by a part of their name.
 */
import type { ListedDrive } from '../contract/dialog-api';
import { AdminRequestError, errorText } from './admin-request';
import type { BrowseClient } from './browse-client';
import { searchWhileTyping } from './fields';
import { type SharedTextKey, sharedText } from './shared-text';

export interface SharedDriveOptionsOptions {
  select: JQuery;
  client: Pick<BrowseClient, 'drives' | 'isAborted'>;
  /** The value of a drive's option. */
  valueOf: (drive: ListedDrive) => string;
}

/** What a list of the shared drives resulted in. */
export type DriveListState =
  { kind: 'listed'; drives: ListedDrive[] } | { kind: 'failed'; message: string; isDenied: boolean };

export class SharedDriveOptions {
  /** Hidden unless there are more drives than one page. */
  readonly filter = $('<input type="search" class="cloud-drive-drive-filter" autocomplete="off">').hide();
  private readonly group: JQuery;
  private readonly drives = new Map<string, ListedDrive>();
  private latest = 0;

  constructor(private readonly options: SharedDriveOptionsOptions) {
    const label = sharedText('browse.find_drive');
    this.group = $('<optgroup>').attr('label', sharedText('browse.shared_drives'));
    this.filter.attr({ placeholder: label, 'aria-label': label });
    searchWhileTyping(this.filter, () => void this.load());
  }

  /** The drive of an option. */
  drive(value: string): ListedDrive | undefined {
    return this.drives.get(value);
  }

  /** Lists the drives that match the field. @returns undefined if it was replaced by another list */
  async load(): Promise<DriveListState | undefined> {
    const current = ++this.latest;
    const state = await this.list(String(this.filter.val()).trim());
    if (current !== this.latest || this.options.client.isAborted) return undefined;
    if (state.kind === 'failed') this.showNote(state);
    else this.show(state.drives);
    return state;
  }

  /** Adds the option of a drive that isn't listed. */
  add(drive: ListedDrive): void {
    const value = this.options.valueOf(drive);
    if (!this.drives.has(value)) this.group.append(this.option(drive));
    this.group.appendTo(this.options.select);
  }

  private async list(text: string): Promise<DriveListState> {
    try {
      const { drives, nextPage } = await this.options.client.drives(text);
      if (nextPage !== undefined) this.filter.show();
      return { kind: 'listed', drives };
    } catch (error) {
      const isDenied = error instanceof AdminRequestError && error.status === 403;
      return { kind: 'failed', message: errorText(error), isDenied };
    }
  }

  private show(drives: readonly ListedDrive[]): void {
    const { select, valueOf } = this.options;
    const selected = String(select.val() ?? '');
    const kept = this.drives.get(selected);
    this.drives.clear();
    this.group.empty();
    const listed = kept && !drives.some((drive) => valueOf(drive) === selected) ? [kept, ...drives] : drives;
    this.group.append(...listed.map((drive) => this.option(drive)));
    if (drives.length === 0 && this.filter.val() !== '') this.group.append(note('browse.none_found_drive'));
    if (this.group.children().length > 0) this.group.appendTo(select);
    select.val(selected);
  }

  private showNote({ message, isDenied }: DriveListState & { kind: 'failed' }): void {
    const key = isDenied ? 'browse.drives_denied' : 'browse.drives_failed';
    this.group.children(':disabled').remove();
    this.group.append(note(key).attr('title', message)).appendTo(this.options.select);
  }

  private option(drive: ListedDrive): JQuery {
    const value = this.options.valueOf(drive);
    this.drives.set(value, drive);
    return $('<option>').val(value).text(drive.name);
  }
}

function note(key: SharedTextKey): JQuery {
  return $('<option disabled>').text(sharedText(key));
}
