/** The proxy set in the environment. https://everything.curl.dev/usingcurl/proxies/env.html */
import should from 'should';
import { proxyCredentials, proxyFor } from '../../../src/http/proxy';

const proxyUrlFor = (url: string, environment: Record<string, string>) =>
  proxyFor(new URL(url), environment)?.href;

describe('proxyFor', () => {
  it('proxyFor reads the variable of the scheme, in lower case first, and then ALL_PROXY', () => {
    should(proxyUrlFor('https://a.example/', {})).be.undefined();
    should(proxyUrlFor('https://a.example/', { HTTP_PROXY: 'http://p:1' })).be.undefined();
    should(proxyUrlFor('https://a.example/', { HTTPS_PROXY: 'http://p:1' })).equal('http://p:1/');
    should(proxyUrlFor('https://a.example/', { HTTPS_PROXY: 'http://p:1', https_proxy: 'q:2' })).equal(
      'http://q:2/',
    );
    should(proxyUrlFor('https://a.example/', { ALL_PROXY: 'http://p:1' })).equal('http://p:1/');
    should(proxyUrlFor('https://a.example/', { HTTPS_PROXY: '' })).be.undefined();
    should(proxyUrlFor('https://a.example/', { HTTPS_PROXY: 'https://p:1' })).equal('https://p:1/');
  });

  it('proxyFor names only the host in the error for an unusable proxy URL', () => {
    const thrown = (proxyUrl: string) => () => proxyUrlFor('https://a.example/', { HTTPS_PROXY: proxyUrl });
    const network = { code: 'network', text: 'network_proxy', retryable: false };
    thrown('socks5://me:SECRET@p:1').should.throw({
      ...network,
      params: { host: 'p:1', reason: 'unsupported' },
    });
    thrown('http://[').should.throw({ ...network, params: { host: '-', reason: 'address' } });
  });

  /** Values of NO_PROXY that exempt a URL, and others. */
  const exemptions: [url: string, exempt: string[], others: string[]][] = [
    [
      'https://a.example/',
      ['*', 'a.example', 'b.example, A.Example', 'example', '.example', '*.example', 'a.example:443'],
      ['a.example:8443', 'ample', 'b.a.example', '', ',. ,', 'a.example/8', 'a.*', 'localhost', '..example'],
    ],
    ['https://a.example:8443/', ['a.example:8443'], []],
    [
      'https://10.0.0.1/',
      ['10.0.0.1', '10.0.0.1/32'],
      ['10.0.0.1:8443', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/x8', '10.0.0.0/8x'],
    ],
    ['https://10.200.0.1/', ['10.0.0.0/8'], []],
    ['https://192.168.7.255/', ['x.example,192.168.4.0/22'], []],
    ['https://192.168.8.0/', [], ['192.168.4.0/22']],
    ['https://10.example/', [], ['10.0.0.0/8']],
    [
      'https://[fd00::1]/',
      ['fd00::1', '[fd00::1]:443', 'fd00::/64', 'fd00::1/128'],
      ['10.0.0.0/8', 'fd00::/129'],
    ],
    ['https://203.0.113.9/', ['0.0.0.0/0'], []],
    ['https://[fd12:3456::1]/', ['fd00::/8'], []],
    ['https://[fd00::2]/', [], ['fd00::1']],
    ['https://a.example./', [], [', ']],
  ];
  for (const [url, exempt, others] of exemptions) {
    for (const value of [...exempt, ...others]) {
      const isExempt = exempt.includes(value);
      it(`proxyFor ${isExempt ? 'exempts' : 'does not exempt'} ${url} with NO_PROXY=${value}`, () =>
        should(proxyUrlFor(url, { HTTPS_PROXY: 'http://p:1', NO_PROXY: value })).equal(
          isExempt ? undefined : 'http://p:1/',
        ));
    }
  }

  it('proxyFor uses only a loopback proxy for loopback URLs, and NO_PROXY exempts all loopback names', () => {
    const here = { HTTP_PROXY: 'http://127.0.0.1:1' };
    should(proxyUrlFor('http://localhost:80/', here)).equal('http://127.0.0.1:1/');
    should(proxyUrlFor('http://127.0.0.1/', { ...here, NO_PROXY: 'localhost' })).be.undefined();
    should(proxyUrlFor('http://127.0.0.1/', { ...here, NO_PROXY: '127.0.0.1:80' })).be.undefined();
    should(proxyUrlFor('http://127.0.0.1/', { ...here, NO_PROXY: '127.0.0.1:443' })).equal(
      'http://127.0.0.1:1/',
    );
    should(proxyUrlFor('http://127.0.0.1/', { HTTP_PROXY: 'http://p:1' })).be.undefined();
  });

  it('proxyCredentials decodes the user name and password, and accepts unescaped ones', () => {
    should(proxyCredentials(new URL('http://p'))).be.undefined();
    should(proxyCredentials(new URL('http://a%40b:c%3Ad@p'))).deepEqual({ username: 'a@b', password: 'c:d' });
    should(proxyCredentials(new URL('http://a:50%@p'))).deepEqual({ username: 'a', password: '50%' });
  });

  // What curl 8 does with the same values.
  for (const [proxyUrl, expected] of [
    ['http://DOMAIN\\user:SECRET@p:1', ['p:1', 'DOMAIN\\user', 'SECRET']],
    ['https://DOMAIN\\user:SECRET@p:1/', ['p:1', 'DOMAIN\\user', 'SECRET']],
    ['DOMAIN\\user:SECRET@p:1', ['p:1', 'DOMAIN\\user', 'SECRET']],
    ['http://DOMAIN%5Cuser:SECRET@p:1', ['p:1', 'DOMAIN\\user', 'SECRET']],
    ['http://DOMAIN\\us%er:SEC\\RET%40@p:1/x\\y@z', ['p:1', 'DOMAIN\\us%er', 'SEC\\RET@']],
    ['http://\\\\user@p:1', ['p:1', '\\\\user', '']],
    ['http://DOMAIN\\user:SECRET@[::1]:1', ['[::1]:1', 'DOMAIN\\user', 'SECRET']],
    ['http://p\\x:1', undefined],
    ['http:\\\\p:1', undefined],
    ['http://DOMAIN\\user:SEC?RET@p:1', undefined],
    ['http://DOMAIN\\user:SEC#RET@p:1', undefined],
  ] as const) {
    it(`proxyFor ${expected ? 'finds host and user in' : 'refuses'} ${proxyUrl}`, () => {
      const find = () => proxyFor(new URL('https://a.example/'), { HTTPS_PROXY: proxyUrl });
      if (!expected)
        return void should(find).throw({ text: 'network_proxy', params: { host: '-', reason: 'address' } });
      const proxy = find();
      const { username, password } = proxyCredentials(proxy!) ?? {};
      should([proxy?.host, username, password]).eql([...expected]);
    });
  }
});
