/** What list-folders and search-files have in common: one array, or a message an item, and where the list ends. */
import { hasBalancedParentheses } from '../contract/parentheses';
import { setImmediate as deliveries } from 'node:timers/promises';
import type { DriveFile } from '../../../src/index';
import type { RunContext } from './run-context';

export interface ListConfig {
  output: 'array' | 'each';
  /** Fields of a file. */
  fields: string;
  orderBy: string;
  /** 0 = all. */
  limit: number | string;
}

export const LIST_DEFAULTS: ListConfig = {
  output: 'array',
  fields: 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents',
  orderBy: '',
  limit: 0,
};

interface Page {
  files: DriveFile[];
  incompleteSearch: boolean;
}

export interface ListSettings {
  fields: string;
  orderBy: string;
  output: ListConfig['output'];
  limit: number;
}

/** The settings of a listing, checked before anything is sent. */
export function readListSettings({
  config,
  inputs,
}: Pick<RunContext<ListConfig>, 'config' | 'inputs'>): ListSettings {
  const fields = config.fields.trim() || LIST_DEFAULTS.fields;
  // A closing parenthesis too many would end the `files(…)` around the list.
  if (!hasBalancedParentheses(fields)) throw inputs.invalid('invalid_input_fields', 'fields', config.fields);
  return {
    fields,
    orderBy: config.orderBy.trim(),
    output: inputs.oneOf('output', ['array', 'each']),
    // Upwards: less than one must not become 0, which is all.
    limit: Math.ceil(inputs.count('limit')),
  };
}

/** Sends what the pages hold, up to the limit. */
export async function sendFileList(
  work: RunContext<ListConfig>,
  pages: AsyncIterable<Page>,
  { output, limit }: { output: ListConfig['output']; limit: number },
): Promise<void> {
  const list = new LimitedPages(pages, limit);
  if (output === 'each') return sendEach(work, list);
  const files: DriveFile[] = [];
  for await (const page of list) for (const file of page) files.push(file);
  work.msg.payload = files;
  work.msg['truncated'] = list.truncated;
  work.send(work.msg);
}

/**
 * Each item is held back until it is known whether it is the last, which carries the count. Node-RED delivers messages
 * in a later turn: without one after each, those of a whole page would lie in memory at once, and none could be cancelled.
 */
async function sendEach(work: RunContext<ListConfig>, list: LimitedPages): Promise<void> {
  const id = work.newId();
  let index = 0;
  let held: DriveFile | undefined;
  const sendHeld = (count?: number): void => {
    if (held === undefined) return;
    const parts = { id, index: index++, type: 'array', len: 1, ...(count === undefined ? {} : { count }) };
    // Not by spreading: objects made that way outlive young collections, and 100,000 of them are 40 MiB. Measured.
    work.send(Object.assign(work.cloneMessage(), { payload: held, truncated: list.truncated, parts }));
  };
  for await (const page of list) {
    for (const file of page) {
      sendHeld();
      held = file;
      await deliveries();
    }
  }
  sendHeld(index + 1);
}

/** The files of all pages up to a limit, page by page; knows whether there would have been more. */
class LimitedPages implements AsyncIterable<DriveFile[]> {
  truncated = false;

  constructor(
    private readonly pages: AsyncIterable<Page>,
    private readonly limit: number,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<DriveFile[]> {
    let left = this.limit > 0 ? this.limit : Infinity;
    for await (const page of this.pages) {
      this.truncated ||= page.incompleteSearch;
      const files = page.files.length > left ? page.files.slice(0, left) : page.files;
      left -= files.length;
      yield files;
      if (files === page.files) continue;
      this.truncated = true;
      return;
    }
  }
}
