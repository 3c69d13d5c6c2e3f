/** A service with the required requests only, and the account `mine` for it. */
import { MINIMAL_FOLDER, type MinimalService, startMinimalService } from '../../local-drive/minimal-service';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN } from './account';
import type { FlowNode } from './load';

export const MINE = { mine: CREDENTIALS };

export function minimalAccount(service: MinimalService, more: object = {}): FlowNode {
  return {
    ...{ id: 'mine', type: 'cloud-drive-account', service: 'custom', baseUrl: `${service.url}/` },
    ...{ tokenUrl: `${service.url}/token`, folderMimeType: MINIMAL_FOLDER, scope: 'files' },
    ...{ requestsPerSecond: 1_000, ...more },
  };
}

/** @param use with the service, and the ID of an empty folder of it */
export async function withMinimalService(
  use: (service: MinimalService, folder: string) => Promise<void>,
): Promise<void> {
  const service = await startMinimalService({ client: { ...CLIENT }, refreshToken: REFRESH_TOKEN });
  try {
    await use(service, service.add({ name: 'folder', mimeType: MINIMAL_FOLDER }));
  } finally {
    await service.close();
  }
}
