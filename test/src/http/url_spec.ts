/** URLs without encryption are allowed for loopback only: RFC 8252 8.3, RFC 6761 6.3. */
import { isLoopback } from '../../../src/http/loopback';
import { pathSegment, secureUrl, withQuery, withoutTrailingSlash, safeLocation } from '../../../src/http/url';
import should from 'should';
import { isDriveError } from '../../../src/errors';

const textOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as { text: string }).text;
  }
  return 'valid';
};

describe('secureUrl', () => {
  for (const [url, expected] of [
    ['https://example.com/x', 'valid'],
    ['http://127.0.0.1:3810', 'valid'],
    ['http://localhost/', 'valid'],
    ['http://a.localhost/', 'valid'],
    ['http://[::1]:80/', 'valid'],
    ['http://example.com/', 'insecure_url'],
    ['http://127.0.0.1.example.com/', 'insecure_url'],
    ['http://192.168.1.5/', 'insecure_url'],
    ['ftp://example.com/', 'not_configured_address'],
    ['https://user:secret@example.com/', 'not_configured_address'],
    ['https://user@example.com/', 'not_configured_address'],
    ['https://:secret@example.com/', 'not_configured_address'],
    ['example.com', 'not_configured_address'],
    ['', 'not_configured_address'],
  ] as const) {
    it(`secureUrl finds ${url || 'an empty URL'}: ${expected}`, () =>
      textOf(() => secureUrl(url, 'baseUrl')).should.equal(expected));
  }

  it('secureUrl names the setting, and the host that would be reached without encryption', () => {
    (() => secureUrl('http://192.168.1.5:81/x?y', 'tokenUrl')).should.throw({
      code: 'insecure_url',
      params: { property: 'tokenUrl', host: '192.168.1.5:81' },
    });
    (() => secureUrl('example.com', 'authUrl')).should.throw({
      code: 'not_configured',
      params: { property: 'authUrl' },
    });
  });
});

describe('pathSegment', () => {
  it('pathSegment encodes everything that ends a segment', () => {
    pathSegment('1a-B_c').should.equal('1a-B_c');
    pathSegment('...').should.equal('...');
    pathSegment('a?b#c%2e d').should.equal('a%3Fb%23c%252e%20d');
  });

  for (const id of ['', '.', '..', '/', '../about', 'a/b']) {
    it(`pathSegment refuses the id "${id}"`, () => {
      (() => pathSegment(id)).should.throw({
        code: 'invalid_input',
        text: 'invalid_input_id',
        params: { id },
      });
    });
  }
});

describe('withQuery', () => {
  it('withQuery writes spaces as plus and leaves out undefined values', () => {
    withQuery('https://a/b', { q: "'x y' in parents", n: 5, no: undefined, yes: true }).should.equal(
      'https://a/b?q=%27x+y%27+in+parents&n=5&yes=true',
    );
    withQuery('https://a/b?c=d', { e: 'f' }).should.equal('https://a/b?c=d&e=f');
    withQuery('https://a/b').should.equal('https://a/b');
  });
});

describe('withoutTrailingSlash', () => {
  it('withoutTrailingSlash removes all trailing slashes', () =>
    withoutTrailingSlash('https://a/b//').should.equal('https://a/b'));
});

describe('isLoopback', () => {
  it('isLoopback accepts addresses of 127.0.0.0/8 only', () => {
    isLoopback('127.10.200.9').should.be.true();
    isLoopback('x127.0.0.1').should.be.false();
    isLoopback('128.0.0.1').should.be.false();
    isLoopback('evil-localhost').should.be.false();
  });
});

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
