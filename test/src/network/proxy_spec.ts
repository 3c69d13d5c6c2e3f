/** Requests through a local proxy, in a child process whose environment selects it. */
import { certificate } from '../../support/http/certificates';
import { LocalProxy } from '../../support/http/local-proxy';
import { useHttpChild } from '../../support/http/run-http-child';
import { ScriptedService } from '../../support/http/scripted-service';
import { TlsService } from '../../support/http/tls-service';

const FINE = { status: 200, body: 'fine' };

describe('proxies', () => {
  let secure: TlsService;
  let plain: ScriptedService;
  let proxy: LocalProxy;
  const ca = certificate({ name: 'private CA' });

  const runInChild = useHttpChild(ca);
  beforeEach(async () => {
    const own = certificate({ name: 'x', hosts: ['localhost', 'drive.test'], issuer: ca });
    secure = await TlsService.start(own, (_request, response) => response.end('fine'));
    plain = await ScriptedService.start();
    plain.onRequest(() => ({ body: 'fine' }));
    proxy = await LocalProxy.start();
  });
  afterEach(() => Promise.all([secure.close(), plain.close(), proxy.close()]));

  const secureUrl = (host = 'drive.test') => `https://${host}:${secure.port}/x?secret=CANARY`;

  it('https requests use one tunnel in which the proxy sees the host only', async () => {
    const urls = Array.from({ length: 5 }, () => secureUrl());
    (await runInChild({ urls, proxies: { HTTPS_PROXY: proxy.url } })).should.matchEach(FINE);
    // The tunnel is reused.
    proxy.tunnels.should.deepEqual([`drive.test:${secure.port}`]);
    proxy.receivedText.should.not.match(/CANARY/);
    secure.connections.should.equal(1);
  });

  it('an https proxy opens tunnels, also to IPv6 addresses', async () => {
    const hosts = ['localhost', '127.0.0.1'];
    const over = await LocalProxy.start(certificate({ name: 'proxy', hosts, issuer: ca }));
    const through = (url: string, host: string) => {
      const HTTPS_PROXY = over.url.replace('localhost', host);
      return runInChild({ urls: [url], proxies: { HTTPS_PROXY } });
    };
    try {
      for (const host of hosts) (await through(secureUrl(), host)).should.deepEqual([FINE]);
      const [numbered] = await through(secureUrl('[::1]'), 'localhost');
      // The request reached the service, whose certificate contains names only.
      numbered!.should.have.property('text', 'network_certificate_wrong_host');
      over.tunnels.slice(1).should.deepEqual([`drive.test:${secure.port}`, `[::1]:${secure.port}`]);
    } finally {
      await over.close();
    }
  });

  it('concurrent requests open at most 16 tunnels', async () => {
    const urls = Array.from({ length: 50 }, () => secureUrl());
    const run = { urls, isConcurrent: true, proxies: { https_proxy: proxy.url } };
    (await runInChild(run)).should.matchEach(FINE);
    proxy.tunnels.length.should.be.within(1, 16);
  });

  it('http requests send the absolute URL to the proxy', async () => {
    const urls = [`${plain.url}/a?b=c`];
    (await runInChild({ urls, proxies: { HTTP_PROXY: proxy.url } })).should.deepEqual([FINE]);
    proxy.forwardedUrls.should.deepEqual(urls);
    plain.requests[0]!.headers.host!.should.equal(new URL(plain.url).host);
  });

  it('the proxy receives the credentials in its URL, and the service does not', async () => {
    const proxyUrl = `http://me%40home:pass%25@127.0.0.1:${proxy.port}`;
    const proxies = { HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl };
    (await runInChild({ urls: [secureUrl(), plain.url], proxies })).should.matchEach(FINE);
    const basic = `Basic ${Buffer.from('me@home:pass%').toString('base64')}`;
    proxy.credentials.should.deepEqual([basic, basic]);
    // The proxy removes its credentials.
    JSON.stringify(plain.requests.map(({ headers }) => headers)).should.not.match(/proxy-authorization/i);
  });

  it('hosts in NO_PROXY are requested directly', async () => {
    const proxies = {
      HTTPS_PROXY: proxy.url,
      HTTP_PROXY: proxy.url,
      NO_PROXY: 'localhost,.test',
    };
    (await runInChild({ urls: [secureUrl('localhost'), plain.url], proxies })).should.matchEach(FINE);
    proxy.receivedText.should.equal('');
  });

  it('loopback URLs are not requested through a remote proxy', async () => {
    const remote = 'http://proxy.invalid:3128';
    const proxies = { HTTPS_PROXY: remote, HTTP_PROXY: remote };
    (await runInChild({ urls: [secureUrl('localhost'), plain.url], proxies })).should.matchEach(FINE);
  });

  for (const [status, retryable] of [
    [300, false],
    [403, false],
    [404, false],
    [407, false],
    [502, true],
    [503, true],
  ] as const) {
    it(`a ${status} from the proxy is reported as an error of the proxy`, async () => {
      proxy.connectStatus = status;
      const proxies = { HTTPS_PROXY: `http://me:SECRET@127.0.0.1:${proxy.port}` };
      const [outcome] = await runInChild({ urls: [secureUrl()], proxies });
      const reason = String(status);
      outcome!.should.have.properties({ code: 'network', text: 'network_proxy', reason, retryable });
      JSON.stringify(outcome).should.not.match(/CANARY|SECRET/);
    });
  }

  it('silent, unreachable, unsupported and invalid proxies yield coded errors', async () => {
    proxy.isSilent = true;
    const cases: [string, object][] = [
      [proxy.url, { code: 'timeout', retryable: true }],
      [
        'http://127.0.0.1:1',
        { code: 'network', text: 'network_proxy', reason: 'ECONNREFUSED', retryable: true },
      ],
      [
        'socks5://127.0.0.1:1',
        { code: 'network', text: 'network_proxy', reason: 'unsupported', retryable: false },
      ],
      ['http://[', { code: 'network', text: 'network_proxy', reason: 'address', retryable: false }],
    ];
    for (const [proxyUrl, expected] of cases) {
      const run = { urls: [secureUrl()], timeout: 200, proxies: { HTTPS_PROXY: proxyUrl } };
      const [outcome] = await runInChild(run);
      outcome!.should.have.properties(expected);
    }
  });
});
