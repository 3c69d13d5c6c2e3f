/** Google's own client of the Drive API, for a local drive. */
import { auth, drive, type drive_v3 } from '@googleapis/drive';
import { TOKEN } from './drive-fixture';

/** Passed with each call, because uploads ignore the client's own options. */
export interface CallSettings {
  rootUrl: string;
  retry: boolean;
}

export function officialClient(url: string, token = TOKEN): { client: drive_v3.Drive; here: CallSettings } {
  const credentials = new auth.OAuth2();
  credentials.setCredentials({ access_token: token });
  return {
    client: drive({ version: 'v3', auth: credentials }),
    here: { rootUrl: `${url}/`, retry: false },
  };
}
