/** The vendor's own client of the files interface, talking to a local drive. */
import { auth, drive, type drive_v3 } from '@googleapis/drive';
import { TOKEN } from './drive-fixture';

/** Goes with each call: uploads do not look at the client's own setting. */
export interface PerCall {
  rootUrl: string;
  retry: boolean;
}

export function officialClient(url: string): { client: drive_v3.Drive; here: PerCall } {
  const credentials = new auth.OAuth2();
  credentials.setCredentials({ access_token: TOKEN });
  return {
    client: drive({ version: 'v3', auth: credentials }),
    here: { rootUrl: `${url}/`, retry: false },
  };
}
