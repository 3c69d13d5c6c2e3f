import { once } from 'node:events';
import https from 'node:https';
import { TunnelAgent } from '../../../src/http/tunnel-agent';
import { LocalProxy } from '../../support/http/local-proxy';

/** What tunnels carry is held in test/src/network/proxy_spec.ts, in processes that go through a proxy. */
describe('tunnels that are not open yet', () => {
  it('end with their agent', async () => {
    const proxy = await LocalProxy.start();
    proxy.isSilent = true;
    const agent = new TunnelAgent(new URL(proxy.url), {});
    const request = https.get('https://drive.test/', { agent });
    const ended = once(request, 'error');
    while (proxy.tunnels.length === 0) await new Promise(setImmediate);
    agent.destroy();
    const [error] = (await ended) as [Error];
    error.should.have.properties({ code: 'network', text: 'network_proxy' });
    await proxy.close();
  });
});
