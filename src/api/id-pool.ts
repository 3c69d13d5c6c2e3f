/**
 * Ids for new files. A create request with such an id can be repeated safely: the service responds 409 if the file
 * exists. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
import { isDriveError } from '../errors';
import { isNonEmptyString, member } from '../http/json';
import type { CallOptions } from '../types';
import { type DriveContext, filesUrl, isUnsupportedRequest } from './drive-context';

const BATCH_SIZE = 50;

const isIdList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isNonEmptyString);

export class IdPool {
  private readonly ids: string[] = [];
  private isUnsupported = false;

  constructor(private readonly drive: DriveContext) {}

  /** @returns an unused id; undefined if a custom service generates none */
  async next(call: CallOptions): Promise<string | undefined> {
    while (!this.isUnsupported) {
      const id = this.ids.pop();
      if (id !== undefined) return id;
      await this.fetch(call);
    }
    return undefined;
  }

  private async fetch(call: CallOptions): Promise<void> {
    const { engine, service } = this.drive;
    const url = `${filesUrl(service)}/generateIds`;
    const query = { count: BATCH_SIZE, fields: 'ids', space: service.space };
    try {
      const response = await engine.requestJson({ method: 'GET', url, query }, call);
      this.ids.push(...member(response, 'ids', isIdList));
    } catch (error) {
      const isUnsupported = isUnsupportedRequest(error) || isDriveError(error, 'bad_response');
      if (service.kind === 'google' || !isUnsupported) throw error;
      this.isUnsupported = true;
    }
  }
}
