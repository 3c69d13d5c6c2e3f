/** Where the drive picker looks: the account's drive, Google Drive's lists, and the shared drives by name. */
import type { FilePage, List, Place } from '../../contract/dialog-api';
import type { BrowseClient } from '../browse-client';
import { type TreeRoot, accountRoot, rootName } from './drive-tree';
import { SharedDriveOptions } from '../shared-drive-options';
import { type SharedTextKey, sharedText } from '../shared-text';

const LISTS: Readonly<Record<List, { key: SharedTextKey; icon: string }>> = {
  sharedWithMe: { key: 'browse.shared_with_me', icon: 'fa fa-users' },
  starred: { key: 'browse.starred', icon: 'fa fa-star-o' },
};
const isList = (place: string): place is List => place in LISTS;

export interface PlaceChoiceOptions {
  client: BrowseClient;
  /** Called when another place is selected. */
  onChange: () => void;
}

export class PlaceChoice {
  /** Hidden if the account has only its own drive. */
  readonly element = $('<div class="cloud-drive-places">').hide();
  private readonly select = $('<select>');
  private readonly ownOption = $('<option value="">').text(sharedText('browse.root'));
  private readonly drives: SharedDriveOptions;
  private isComplete = false;

  constructor({ client, onChange }: PlaceChoiceOptions) {
    this.select.attr('aria-label', sharedText('browse.place')).append(this.ownOption);
    this.select.on('change', onChange);
    this.drives = new SharedDriveOptions({ select: this.select, client, valueOf: ({ id }) => `drive:${id}` });
    this.element.append(this.select, this.drives.filter);
  }

  /** Adds the places, which come with the first page of the account's root. */
  addPlaces(page: FilePage): void {
    if (this.isComplete) return;
    this.isComplete = true;
    const { places = [] } = page;
    if (places.length === 0) return;
    this.ownOption.text(rootName(page));
    this.select.append(...places.filter(isListPlace).map((list) => listOption(list)));
    this.element.show();
    if (places.includes('sharedDrives')) void this.drives.load();
  }

  /** The first row of the tree. */
  get root(): TreeRoot {
    const { place } = this;
    if (isList(place)) {
      const name = sharedText(LISTS[place].key);
      return { name, icon: LISTS[place].icon, query: { list: place }, path: listPath(place) };
    }
    const drive = this.drives.drive(place);
    if (!drive) return accountRoot(this.name, 'fa fa-cloud');
    const { id, name } = drive;
    const file = { id, name, isFolder: true, path: name, isRoot: true };
    return { name, icon: 'fa fa-cloud', query: { folder: id }, file };
  }

  /** The first row of the tree for search results. */
  searchRoot(text: string): TreeRoot {
    const { place } = this;
    const within = isList(place) ? { list: place } : { drive: this.drives.drive(place)?.id };
    const path = isList(place) ? listPath(place) : undefined;
    const name = sharedText('browse.found');
    return { name, icon: 'fa fa-search', query: { text, ...within }, path };
  }

  /** Id of the folder for a new folder if none is selected; undefined in a list. */
  get folderId(): string | undefined {
    const { place } = this;
    return isList(place) ? undefined : (this.drives.drive(place)?.id ?? '');
  }

  /** What the search box says. */
  get searchLabel(): string {
    return this.place === ''
      ? sharedText('browse.search')
      : sharedText('browse.search_in', { place: this.name });
  }

  private get place(): string {
    return String(this.select.val());
  }

  private get name(): string {
    return this.select.find('option:selected').text();
  }
}

function isListPlace(place: Place): place is List {
  return isList(place);
}

function listOption(list: List): JQuery {
  return $('<option>').val(list).text(sharedText(LISTS[list].key));
}

/** Starred files have a path of their own, which is fetched. */
function listPath(list: List): string | undefined {
  return list === 'sharedWithMe' ? sharedText(LISTS.sharedWithMe.key) : undefined;
}
