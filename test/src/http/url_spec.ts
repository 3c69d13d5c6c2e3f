/** Which addresses may be without encryption: loopback alone (RFC 8252 section 8.3, RFC 6761 section 6.3). */
import { isLoopback, secureUrl, withQuery, withoutTrailingSlash } from '../../../src/http/url';

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as { code: string; text: string }).text;
  }
  return 'fine';
};

describe('addresses', () => {
  for (const [address, expected] of [
    ['https://example.com/x', 'fine'],
    ['http://127.0.0.1:3810', 'fine'],
    ['http://localhost/', 'fine'],
    ['http://a.localhost/', 'fine'],
    ['http://[::1]:80/', 'fine'],
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
    it(`${address || 'nothing'}: ${expected}`, () =>
      codeOf(() => secureUrl(address, 'baseUrl')).should.equal(expected));
  }

  it('say which setting is wrong, and which host would have been reached in plain text', () => {
    (() => secureUrl('http://192.168.1.5:81/x?y', 'tokenUrl')).should.throw({
      code: 'insecure_url',
      params: { property: 'tokenUrl', host: '192.168.1.5:81' },
    });
    (() => secureUrl('example.com', 'authUrl')).should.throw({
      code: 'not_configured',
      params: { property: 'authUrl' },
    });
  });

  it('write blanks in a query as plus, and leave out what is undefined', () => {
    withQuery('https://a/b', { q: "'x y' in parents", n: 5, no: undefined, yes: true }).should.equal(
      'https://a/b?q=%27x+y%27+in+parents&n=5&yes=true',
    );
    withQuery('https://a/b?c=d', { e: 'f' }).should.equal('https://a/b?c=d&e=f');
    withQuery('https://a/b').should.equal('https://a/b');
  });

  it('lose their trailing slashes', () => withoutTrailingSlash('https://a/b//').should.equal('https://a/b'));

  it('are of this machine or not', () => {
    isLoopback('127.10.200.9').should.be.true();
    isLoopback('x127.0.0.1').should.be.false();
    isLoopback('128.0.0.1').should.be.false();
    isLoopback('evil-localhost').should.be.false();
  });
});
