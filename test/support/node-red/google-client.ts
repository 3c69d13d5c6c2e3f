import { auth, drive as googleDrive, type drive_v3 } from '@googleapis/drive';
import type { LocalDrive } from '../../local-drive';
import { ACCESS_TOKEN } from './account';

/** @returns Google's official client for a drive, for use inside a test */
export function useGoogleClient(drive: () => LocalDrive): () => drive_v3.Drive {
  let google: drive_v3.Drive;
  before(() => {
    const credentials = new auth.OAuth2();
    credentials.setCredentials({ access_token: ACCESS_TOKEN });
    google = googleDrive({ version: 'v3', auth: credentials, rootUrl: `${drive().url}/` });
  });
  return () => google;
}
