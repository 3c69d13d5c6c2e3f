/** The list settings and the output of list-folders and search-files: one array, or one message per file. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DriveError, type DriveFile, Size } from '../../../src/index';
import { FILE_FIELDS, type ListConfig, hasBalancedParentheses } from '../contract/defaults';
import type { RunContext } from './run-context';
import type { Outcome } from './status';
import { summarizeText } from './value-summary';

export interface ListSettings {
  fields: string;
  orderBy: string;
  output: ListConfig['output'];
  /** 0 = no limit. */
  limit: number;
}

type ListedKind = 'files' | 'folders' | 'items';

interface Page {
  files: DriveFile[];
  incompleteSearch: boolean;
}

/** Bytes of a list as JSON: what a service or an archive sends may be larger than the memory. */
const MAX_MESSAGE = 256 * 1024 * 1024;

/** Of a message with a whole list. */
export class MessageSize {
  private size = 0;

  constructor(private readonly limit = MAX_MESSAGE) {}

  /** @throws `too_large` */
  add(item: object): void {
    this.size += JSON.stringify(item).length;
    if (this.size <= this.limit) return;
    throw new DriveError('too_large', {
      text: 'too_large_list',
      params: { limit: new Size(this.limit, 'down') },
    });
  }
}

/** @param limit by default the node's setting. @throws `invalid_input` before anything is requested */
export function readListSettings(
  { inputs }: Pick<RunContext<ListConfig>, 'inputs'>,
  limit = inputs.wholeNumber('limit'),
): ListSettings {
  const fields = inputs.settingText('fields') || FILE_FIELDS;
  // An extra closing parenthesis would end the `files(…)` around the list.
  if (!hasBalancedParentheses(fields))
    throw inputs.invalid('invalid_input_fields', 'fields', fields, { came: summarizeText(fields) });
  return {
    fields,
    orderBy: inputs.settingText('orderBy'),
    output: inputs.oneOf('output', ['array', 'each']),
    limit,
  };
}

/** Sends the files of all pages, up to the limit. @param what they are, for the status */
export async function sendFileList(
  context: RunContext<ListConfig>,
  pages: AsyncIterable<Page>,
  { output, limit, what }: Pick<ListSettings, 'output' | 'limit'> & { what: ListedKind },
): Promise<Outcome> {
  const list = new LimitedPages(pages, limit);
  const send = output === 'each' ? sendEach : sendArray;
  const count = await send(context, list);
  const text = context.results.count(count, what, list.truncated);
  if (count > 0 || list.truncated || !context.mayBeOtherProject()) return { text };
  return { text: `${text} · ${context.results.ownProject()}`, isPartial: true };
}

/** @returns the number of files */
async function sendArray(context: RunContext<ListConfig>, list: LimitedPages): Promise<number> {
  const files: DriveFile[] = [];
  const size = new MessageSize();
  for await (const page of list) {
    for (const file of page) {
      size.add(file);
      files.push(file);
    }
  }
  context.msg.payload = files;
  context.msg['truncated'] = list.truncated;
  context.send(context.msg);
  return files.length;
}

/** @returns the number of files */
async function sendEach(context: RunContext<ListConfig>, list: LimitedPages): Promise<number> {
  const sender = new ItemSender<DriveFile>(context);
  for await (const page of list)
    for (const file of page) await sender.add(file, () => ({ truncated: list.truncated }));
  return sender.finish({ truncated: list.truncated });
}

/**
 * Sends a message for each item, one step late, because the last message carries the count. Waits a turn after each, in
 * which Node-RED delivers it: otherwise a whole page of messages would be in memory at once, and no cancel message could
 * arrive.
 */
export class ItemSender<Item extends object> {
  private readonly id: string;
  private index = 0;
  private pending: Item | undefined;

  constructor(private readonly context: Pick<RunContext<unknown>, 'cloneMessage' | 'newId' | 'send'>) {
    this.id = context.newId();
  }

  /** @param more members of the message before this item */
  async add(item: Item, more: () => object): Promise<void> {
    if (this.pending) this.sendPending(more());
    this.pending = item;
    await nextTurn();
  }

  /** @returns whether no item was sent */
  clear(): boolean {
    this.pending = undefined;
    return this.index === 0;
  }

  /** @returns the number of items */
  finish(more: object): number {
    if (this.pending) this.sendPending(more, { count: this.index + 1 });
    return this.index;
  }

  private sendPending(more: object, last?: { count: number }): void {
    const message = this.context.cloneMessage();
    // As the split node does: a join node restores them.
    const outer = Object.hasOwn(message, 'parts') ? { parts: message['parts'] } : undefined;
    const own = { id: this.id, index: this.index++, type: 'array', len: 1 };
    // Object.assign instead of a spread: spread objects outlive young collections, 40 MiB for 100,000 files (measured).
    const parts = Object.assign(own, outer, last);
    this.context.send(Object.assign(message, { payload: this.pending, parts }, more));
  }
}

/** Yields the files of each page up to a limit. */
class LimitedPages implements AsyncIterable<DriveFile[]> {
  /** Whether there are more files than were yielded, or the service's result is incomplete. */
  truncated = false;

  constructor(
    private readonly pages: AsyncIterable<Page>,
    private readonly limit: number,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<DriveFile[]> {
    let remaining = this.limit > 0 ? this.limit : Infinity;
    for await (const page of this.pages) {
      this.truncated ||= page.incompleteSearch;
      const files = page.files.length > remaining ? page.files.slice(0, remaining) : page.files;
      remaining -= files.length;
      yield files;
      if (files === page.files) continue;
      this.truncated = true;
      return;
    }
  }
}
