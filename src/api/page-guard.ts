/**
 * Limits for paged responses: a service may return a page token again, or empty pages without end.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */
import { badResponse } from '../http/json';

const MAX_EMPTY_PAGES = 100;

export interface PageInfo {
  /** The token that the page was requested with; undefined for the first page. */
  pageToken?: string;
  /** Undefined for the last page. */
  nextPageToken?: string;
  itemCount: number;
}

/** Checks the pages of one list in their order. */
export class PageGuard {
  private readonly pageTokens = new Set<string>();
  private emptyPages = 0;

  /** @throws `bad_response` for a repeated page token, or more than 100 empty pages in a row */
  check({ pageToken, nextPageToken, itemCount }: PageInfo): void {
    if (pageToken !== undefined) this.pageTokens.add(pageToken);
    if (nextPageToken !== undefined && this.pageTokens.has(nextPageToken))
      throw badResponse('bad_response_page_token');
    this.emptyPages = itemCount === 0 ? this.emptyPages + 1 : 0;
    if (nextPageToken !== undefined && this.emptyPages > MAX_EMPTY_PAGES)
      throw badResponse('bad_response_empty_pages', { limit: MAX_EMPTY_PAGES });
  }
}
