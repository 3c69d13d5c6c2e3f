/** Tunnels that don't open; test/src/network/proxy_spec.ts sends requests through open ones. */
import { once } from 'node:events';
import https from 'node:https';
import { TunnelAgent } from '../../../src/http/tunnel-agent';
import { LocalProxy } from '../../support/http/local-proxy';

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

  it('TunnelAgent times out when the response to CONNECT trickles in', async () => {
    proxy.isTrickling = true;
    const request = https.get('https://drive.test/', { agent, timeout: 100 });
    const [error] = (await once(request, 'error')) as [Error];
    error.should.have.properties({ code: 'timeout', retryable: true });
  });
});
