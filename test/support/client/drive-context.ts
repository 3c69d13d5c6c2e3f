import { CAPABILITIES } from '../../../src/capabilities';
import { BandwidthLimiter } from '../../../src/core/bandwidth-limiter';
import { type DriveContext, createDriveContext as createContext } from '../../../src/drive/drive-context';
import type { Service } from '../../../src/types';
import { createTestEngine } from './test-engine';

/** What operations of the client share, for a service on this machine. */
export function createDriveContext(baseUrl: string, options: Partial<Service> = {}): DriveContext {
  const service: Service = {
    can: CAPABILITIES.google,
    baseUrl,
    uploadUrl: baseUrl,
    folderMimeType: 'application/vnd.google-apps.folder',
    driveId: '',
    ...options,
  };
  const { engine, clock } = createTestEngine(baseUrl, { service, retryFor: 0 });
  return createContext({ engine, service, clock, bandwidth: new BandwidthLimiter(0, clock) });
}
