/**
 * Ids for files that are yet to be created: with one a create can be repeated safely, since the service answers 409
 * to the second. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/generateIds
 */
import { isDriveError } from '../errors';
import { badAnswer, isFilledString } from '../http/json';
import type { CallOptions } from '../types';
import { type DriveContext, isUnsupportedRequest } from './drive-context';

const AT_ONCE = 50;

export class IdPool {
  private readonly ids: string[] = [];
  private unknownHere = false;

  constructor(private readonly drive: DriveContext) {}

  /** @returns an id nobody has used; undefined where the service gives none */
  async next(call: CallOptions): Promise<string | undefined> {
    while (!this.unknownHere) {
      const id = this.ids.pop();
      if (id !== undefined) return id;
      await this.fetch(call);
    }
    return undefined;
  }

  private async fetch(call: CallOptions): Promise<void> {
    const { engine, service } = this.drive;
    const { space } = service;
    const query = { count: AT_ONCE, fields: 'ids', ...(space ? { space } : {}) };
    try {
      const url = `${service.baseUrl}/drive/v3/files/generateIds`;
      const { ids } = await engine.json({ method: 'GET', url, query }, call);
      if (!Array.isArray(ids) || ids.length === 0 || !ids.every(isFilledString)) {
        throw badAnswer('bad_response_type', { member: 'ids' });
      }
      this.ids.push(...ids);
    } catch (error) {
      const unknown = isUnsupportedRequest(error) || isDriveError(error, 'bad_response');
      if (service.kind === 'google' || !unknown) throw error;
      this.unknownHere = true;
    }
  }
}
