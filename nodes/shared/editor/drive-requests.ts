/** What the editor asks of a drive, by way of the account that is deployed. */
import type { FilePath, SearchTestResult, FilePage, NewFolderResponse } from '../contract/browse-api';
import { adminRequest } from './admin-request';

export type { SearchTestResult };

/** Where to look: in a folder (`''` is the root), or on the whole drive for a part of a name. */
export interface Where {
  folder?: string;
  text?: string;
  kind: 'folders' | 'any';
  /** `''` for the first page. */
  page: string;
}

export class DriveRequests {
  private readonly controller = new AbortController();

  /** @param account id of the config node */
  constructor(private readonly account: string) {}

  list({ folder = '', text = '', kind, page }: Where): Promise<FilePage> {
    return this.get(`files?${$.param({ folder, text, kind, page })}`);
  }

  filePath(file: string): Promise<FilePath> {
    return this.get(`files/${encodeURIComponent(file)}/path`);
  }

  newFolder(name: string, parent: string): Promise<NewFolderResponse> {
    return this.post('folders', { name, parent });
  }

  /** @param settings of a search-files node */
  find(settings: object): Promise<SearchTestResult> {
    return this.post('find', settings);
  }

  /** Ends all that is under way; nobody looks at the answers any more. */
  close(): void {
    this.controller.abort();
  }

  get isClosed(): boolean {
    return this.controller.signal.aborted;
  }

  /** What another service finds by a part of a name isn't known. */
  get isGoogle(): boolean {
    const account = RED.nodes.node(this.account);
    return !(account && 'service' in account && account.service === 'custom');
  }

  private get<Answer>(what: string): Promise<Answer> {
    return adminRequest({ method: 'GET', path: this.path(what), signal: this.controller.signal });
  }

  private post<Answer>(what: string, body: object): Promise<Answer> {
    return adminRequest({ method: 'POST', path: this.path(what), body, signal: this.controller.signal });
  }

  private path(what: string): string {
    return `${encodeURIComponent(this.account)}/${what}`;
  }
}
