/** Tunnels that don't open; test/src/network/proxy_spec.ts sends requests through open ones. */
import { once } from 'node:events';
import https from 'node:https';
import { TunnelAgent } from '../../../src/http/tunnel-agent';
import { certificate } from '../../support/http/certificates';
import { LocalProxy } from '../../support/http/local-proxy';
import { recordNoDelay } from '../../support/http/record-no-delay';

describe('TunnelAgent', () => {
  let proxy: LocalProxy;
  let agent: TunnelAgent;

  beforeEach(async () => {
    proxy = await LocalProxy.start();
    agent = new TunnelAgent(new URL(proxy.url), {});
  });
  afterEach(async () => {
    agent.destroy();
    await proxy.close();
  });

  it('TunnelAgent ends pending CONNECT requests when it is destroyed', async () => {
    proxy.isSilent = true;
    const request = https.get('https://drive.test/', { agent });
    const failed = once(request, 'error');
    while (proxy.tunnels.length === 0) await new Promise(setImmediate);
    agent.destroy();
    const [error] = (await failed) as [Error];
    error.should.have.properties({ code: 'network', text: 'network_proxy' });
  });

  it('a tunnel through an https proxy sends a short body at once, before its headers are acknowledged', async () => {
    const secure = await LocalProxy.start(certificate({ name: 'proxy', hosts: ['localhost'] }));
    secure.tunnelPort = proxy.port;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      await recordNoDelay(async (sockets) => {
        agent = new TunnelAgent(new URL(secure.url), {});
        const request = https.get('https://drive.test/', { agent });
        await once(request, 'socket');
        [...sockets].map(({ remotePort }) => remotePort).should.containEql(secure.port);
        await once(request, 'error');
      });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      await secure.close();
    }
  });

  it('TunnelAgent times out when the response to CONNECT trickles in', async () => {
    proxy.isTrickling = true;
    const request = https.get('https://drive.test/', { agent, timeout: 100 });
    const [error] = (await once(request, 'error')) as [Error];
    error.should.have.properties({ code: 'timeout', retryable: true });
  });

  const refused = async (proxyUrl: string, url: string): Promise<Error> => {
    agent = new TunnelAgent(new URL(proxyUrl), {});
    const [error] = (await once(https.get(url, { agent }), 'error')) as [Error];
    return error;
  };

  it('CONNECT contains an IPv6 address in brackets, and the credentials of the proxy’s URL', async () => {
    proxy.connectStatus = 503;
    const error = await refused(proxy.url.replace('//', '//me:pass%25@'), 'https://[::1]:8443/');
    error.should.match({ code: 'network', retryable: true, params: { host: `127.0.0.1:${proxy.port}` } });
    proxy.tunnels.should.deepEqual(['[::1]:8443']);
    proxy.credentials.should.deepEqual([`Basic ${Buffer.from('me:pass%').toString('base64')}`]);
  });

  it('CONNECT without credentials has no Proxy-Authorization', async () => {
    proxy.connectStatus = 403;
    (await refused(proxy.url, 'https://drive.test/')).should.match({ code: 'network', retryable: false });
    proxy.credentials.should.deepEqual([undefined]);
  });

  for (const host of ['localhost', '127.0.0.1']) {
    it(`an https proxy on ${host} whose certificate is not trusted is reported as a proxy error`, async () => {
      const secure = await LocalProxy.start(certificate({ name: 'proxy', hosts: [host] }));
      try {
        const error = await refused(`https://${host}:${secure.port}`, 'https://drive.test/');
        error.should.match({
          code: 'network',
          text: 'network_proxy',
          params: { host: `${host}:${secure.port}` },
        });
        secure.tunnels.should.deepEqual([]);
      } finally {
        await secure.close();
      }
    });
  }
});
