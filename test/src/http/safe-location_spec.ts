/** `Location` of redirects and upload sessions: RFC 9110 10.2.2. */
import should from 'should';
import { isDriveError } from '../../../src/errors';
import { safeLocation } from '../../../src/http/url';

const SERVICE = 'https://drive.example/drive/v3/files';
const LOCAL_SERVICE = 'http://127.0.0.1:3810/drive/v3/files';

function resultOf(location: string, from: string): string | undefined {
  try {
    return safeLocation(location, from)?.href;
  } catch (error) {
    return isDriveError(error) ? error.code : 'not coded';
  }
}

describe('safeLocation', () => {
  for (const [location, from, expected] of [
    ['/moved?a=b', SERVICE, 'https://drive.example/moved?a=b'],
    ['https://content.example/x', SERVICE, 'https://content.example/x'],
    ['http://content.example/x', SERVICE, 'insecure_url'],
    ['http://[', SERVICE, undefined],
    ['javascript:alert(1)', SERVICE, undefined],
    ['file:///etc/passwd', SERVICE, undefined],
    ['https://name:word@content.example/', SERVICE, undefined],
    // A remote service must not reach local servers.
    ['http://127.0.0.1:1880/flows', SERVICE, undefined],
    ['http://localhost:1880/flows', SERVICE, undefined],
    ['https://[::1]/', SERVICE, undefined],
    ['//a.localhost/', SERVICE, undefined],
    ['http://localhost:3811/x', LOCAL_SERVICE, 'http://localhost:3811/x'],
    ['https://content.example/x', LOCAL_SERVICE, 'https://content.example/x'],
    ['xhttps://content.example/', SERVICE, undefined],
  ] as const) {
    it(`safeLocation resolves ${location} from ${new URL(from).host} to ${expected ?? 'undefined'}`, () =>
      should(resultOf(location, from)).equal(expected));
  }

  it('safeLocation names Location and the host in its error', () =>
    (() => safeLocation('http://content.example/x?y', SERVICE)).should.throw({
      params: { property: 'Location', host: 'content.example' },
    }));
});
