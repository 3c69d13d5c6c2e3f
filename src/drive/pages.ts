/**
 * Paged responses, within limits: a service may return a page token again, or empty pages without end.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */
import { badResponse } from '../http/json';

const MAX_EMPTY_PAGES = 100;

export interface Page {
  /** Undefined for the last page. */
  nextPageToken?: string | undefined;
}

/**
 * Yields all pages: only a missing `nextPageToken` ends a list.
 * @param request with the token of the page; undefined for the first page, unless there is a `start`
 * @throws `bad_response`, also for an endless list
 */
export async function* allPages<T extends Page>(
  request: (pageToken: string | undefined) => Promise<T>,
  itemsOf: (page: T) => readonly unknown[],
  start?: string,
): AsyncGenerator<T> {
  const guard = new PageGuard();
  let pageToken = start;
  do {
    const page = await request(pageToken);
    yield page;
    const { nextPageToken } = page;
    guard.check({ pageToken, nextPageToken, itemCount: itemsOf(page).length });
    pageToken = nextPageToken;
  } while (pageToken !== undefined);
}

interface PageInfo extends Page {
  /** The token that the page was requested with; undefined for the first page. */
  pageToken: string | undefined;
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
