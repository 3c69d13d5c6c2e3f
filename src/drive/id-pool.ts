/**
 * Ids for new files. A create request with such an id can be repeated safely: the service responds 409 if the file
 * exists. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
import { isDriveError } from '../errors';
import { abortable } from '../core/abortable';
import { isNonEmptyString } from '../core/validator';
import { member } from '../http/json';
import type { CallOptions } from '../types';
import { type DriveContext, filesUrl, isRefusedRequest } from './drive-context';

const BATCH_SIZE = 50;
/** The most that the service generates in one request. */
const MAX_BATCH_SIZE = 1_000;

const isIdList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isNonEmptyString);

export class IdPool {
  private ids: string[] = [];
  private isUnsupported = false;
  private expected = 0;
  /** Shared by all callers that find no id. */
  private fetching: Promise<void> | undefined;

  constructor(private readonly drive: DriveContext) {}

  /** Announces that so many ids will be needed soon, so that they are requested together. */
  expect(count: number): void {
    this.expected = count;
  }

  /** Another user, who can't use them, may have signed in. Those that are being fetched go to the former array. */
  clear(): void {
    this.ids = [];
    this.fetching = undefined;
  }

  /** @returns an unused id; undefined if a custom service generates none */
  async next(call: CallOptions): Promise<string | undefined> {
    while (!this.isUnsupported) {
      const id = this.ids.pop();
      if (id !== undefined) {
        this.expected -= 1;
        return id;
      }
      await this.fetchOnce(call);
    }
    return undefined;
  }

  private async fetchOnce(call: CallOptions): Promise<void> {
    const isOwn = !this.fetching;
    this.fetching ??= this.fetch(call).finally(() => (this.fetching = undefined));
    try {
      await abortable(this.fetching, call.signal);
    } catch (error) {
      // Another caller may have been cancelled, or have a shorter retry budget.
      if (isOwn || call.signal?.aborted) throw error;
    }
  }

  private async fetch(call: CallOptions): Promise<void> {
    const { ids } = this;
    const { engine, service } = this.drive;
    const url = `${filesUrl(service)}/generateIds`;
    const count = Math.min(MAX_BATCH_SIZE, Math.max(BATCH_SIZE, this.expected));
    const query = { count, fields: 'ids', space: service.space };
    try {
      const response = await engine.requestJson({ method: 'GET', url, query }, call);
      for (const id of member(response, 'ids', isIdList)) ids.push(id);
    } catch (error) {
      const isLacking = isRefusedRequest(error) || isDriveError(error, 'bad_response');
      if (service.can.generateIds || !isLacking) throw error;
      this.isUnsupported = true;
    }
  }
}
