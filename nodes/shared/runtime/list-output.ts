/** The settings and the output of nodes that list files or entries: one array, or one message for each. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DriveError, type DriveFile, Size } from '../../../src/index';
import type { ListConfig } from '../contract/defaults';
import type { RunContext } from './run-context';
import type { Outcome } from './status';

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
  return {
    fields: inputs.fields(),
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
  const items = itemOutput<DriveFile>(context, output);
  const more = (): object => ({ truncated: list.truncated });
  for await (const page of list) await items.add(page, more);
  const count = items.finish(more());
  const text = context.results.count(count, what, list.truncated);
  if (count > 0 || list.truncated || !context.mayBeOtherProject()) return { text };
  return { text: `${text} · ${context.results.mark('own_project')}`, isPartial: true };
}

export interface ItemOutput<Item> {
  /** @param more members of the messages with these items */
  add(items: readonly Item[], more: () => object): Promise<void>;
  /** @returns false if items were sent that can't be taken back */
  clear(): boolean;
  /** @param more members of the last message. @returns the number of items */
  finish(more: object): number;
}

export function itemOutput<Item extends object>(
  context: RunContext<unknown>,
  output: ListConfig['output'],
): ItemOutput<Item> {
  return output === 'each' ? new EachOutput(context) : new ArrayOutput(context);
}

/** One message with all items. */
class ArrayOutput<Item extends object> implements ItemOutput<Item> {
  private items: Item[] = [];
  private size = new MessageSize();

  constructor(private readonly context: Pick<RunContext<unknown>, 'msg' | 'send'>) {}

  add(items: readonly Item[]): Promise<void> {
    for (const item of items) {
      this.size.add(item);
      this.items.push(item);
    }
    return Promise.resolve();
  }

  clear(): boolean {
    this.items = [];
    this.size = new MessageSize();
    return true;
  }

  finish(more: object): number {
    const { msg, send } = this.context;
    send(Object.assign(msg, { payload: this.items }, more));
    return this.items.length;
  }
}

/**
 * One message for each item, one step late, because the last message carries the count. Waits a turn after each, in which
 * Node-RED delivers it: otherwise a whole page of messages would be in memory at once, and no cancel message could arrive.
 */
class EachOutput<Item extends object> implements ItemOutput<Item> {
  private readonly id: string;
  private index = 0;
  private pending: Item | undefined;

  constructor(private readonly context: Pick<RunContext<unknown>, 'cloneMessage' | 'newId' | 'send'>) {
    this.id = context.newId();
  }

  async add(items: readonly Item[], more: () => object): Promise<void> {
    for (const item of items) {
      if (this.pending) this.sendPending(more());
      this.pending = item;
      await nextTurn();
    }
  }

  clear(): boolean {
    this.pending = undefined;
    return this.index === 0;
  }

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
