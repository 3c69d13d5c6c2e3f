/** The browse endpoints of a deployed account. */
import type {
  DrivePage,
  FilePage,
  FilePath,
  List,
  ListedDrive,
  NewFolderResponse,
} from '../contract/dialog-api';
import { adminRequest } from './admin-request';

/** Lists a folder (`''` is the root) or a list of the drive; or searches a drive or list for a part of a name. */
export interface ListQuery {
  folder?: string;
  list?: List;
  text?: string;
  /** Id of the shared drive to search, by default the account's drive. */
  drive?: string;
  kind: 'folders' | 'any';
  /** Page token; `''` for the first page. */
  page: string;
}

export class BrowseClient {
  /**
   * @param account id of the config node
   * @param signal aborts the requests when the dialog that shows their results is closed
   */
  constructor(
    private readonly account: string,
    private readonly signal: AbortSignal,
  ) {}

  list(query: ListQuery): Promise<FilePage> {
    const { signal } = this;
    return adminRequest('GET', [this.account, 'files'], { query: { ...query }, signal });
  }

  /** @param text a part of the name; `''` for all shared drives. @returns the first page */
  drives(text: string): Promise<DrivePage> {
    const { signal } = this;
    return adminRequest('GET', [this.account, 'drives'], { query: { text }, signal });
  }

  drive(id: string): Promise<ListedDrive> {
    return adminRequest('GET', [this.account, 'drives', id], { signal: this.signal });
  }

  filePath(fileId: string): Promise<FilePath> {
    return adminRequest('GET', [this.account, 'files', fileId, 'path'], { signal: this.signal });
  }

  /** @param parent id of a folder; `''` is the root */
  createFolder(name: string, parent: string): Promise<NewFolderResponse> {
    const body = { name, parent };
    return adminRequest('POST', [this.account, 'folders'], { body, signal: this.signal });
  }

  get isAborted(): boolean {
    return this.signal.aborted;
  }

  /** Google matches names by the beginnings of words. How another service does it isn't known. */
  get isGoogle(): boolean {
    return isGoogleAccount(this.account);
  }
}

/** @param id of an account, deployed or not */
export function isGoogleAccount(id: string): boolean {
  const account = RED.nodes.node(id);
  return !(account && 'service' in account && account.service === 'custom');
}
