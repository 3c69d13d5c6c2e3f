/** Settings that only Google Drive supports. */
import { DriveError, type DriveClient } from '../../../src/index';

/** @throws `invalid_input` at a custom service */
export function requireGoogle({ service }: DriveClient, setting: string): void {
  if (service.kind !== 'google')
    throw new DriveError('invalid_input', { text: 'invalid_input_google_only', params: { setting } });
}
