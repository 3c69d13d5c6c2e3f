/** `Location`, and whether a redirect stays at one origin: RFC 9110 section 10.2.2. */
import should from 'should';
import { isDriveError } from '../../../src/errors';
import { safeLocation } from '../../../src/http/safe-location';

const SERVICE = 'https://drive.example/drive/v3/files';
const HERE = 'http://127.0.0.1:3810/drive/v3/files';

function ended(location: string, from: string): string | undefined {
  try {
    return safeLocation(location, from)?.href;
  } catch (error) {
    return isDriveError(error) ? error.code : 'not coded';
  }
}

describe('where an answer leads', () => {
  for (const [location, from, end] of [
    ['/moved?a=b', SERVICE, 'https://drive.example/moved?a=b'],
    ['https://content.example/x', SERVICE, 'https://content.example/x'],
    ['http://content.example/x', SERVICE, 'insecure_url'],
    ['http://[', SERVICE, undefined],
    ['javascript:alert(1)', SERVICE, undefined],
    ['file:///etc/passwd', SERVICE, undefined],
    ['https://name:word@content.example/', SERVICE, undefined],
    // What listens on this machine is none of the service's business.
    ['http://127.0.0.1:1880/flows', SERVICE, undefined],
    ['http://localhost:1880/flows', SERVICE, undefined],
    ['https://[::1]/', SERVICE, undefined],
    ['//a.localhost/', SERVICE, undefined],
    ['http://localhost:3811/x', HERE, 'http://localhost:3811/x'],
    ['https://content.example/x', HERE, 'https://content.example/x'],
    ['xhttps://content.example/', SERVICE, undefined],
  ] as const) {
    it(`${location} from ${new URL(from).host}: ${end ?? 'nowhere'}`, () =>
      should(ended(location, from)).equal(end));
  }

  it('is told by its host, and that an answer led there', () =>
    (() => safeLocation('http://content.example/x?y', SERVICE)).should.throw({
      params: { property: 'Location', host: 'content.example' },
    }));
});
