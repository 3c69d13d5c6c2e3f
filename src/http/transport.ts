/**
 * Sends requests with axios over Node's agents, which keep connections alive. Loaded with the first request, because
 * loading axios takes longer than loading the rest of the package.
 */
import type http from 'node:http';
import axios, { type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { DirectReadHttpAgent, DirectReadHttpsAgent } from './direct-reads';
import { type RequestTimeouts, withTimeouts } from './idle-timeout';
import type { RequestState } from './transport-error';
import { TunnelAgent } from './tunnel-agent';

/** https://axios-http.com/docs/req_config */
export interface TransportRequest extends Omit<InternalAxiosRequestConfig, 'headers' | 'timeout'> {
  headers: Record<string, string>;
  timeouts: RequestTimeouts;
}

/** Called directly: merging defaults, interceptors and transformers would double the cost of a small request. */
const adapter = axios.getAdapter('http');

export class Transport {
  private readonly httpAgent: DirectReadHttpAgent;
  private readonly httpsAgent: DirectReadHttpsAgent;
  /** By the URL of the proxy. */
  private readonly tunnels = new Map<string, TunnelAgent>();

  constructor(private readonly agentOptions: http.AgentOptions) {
    this.httpAgent = new DirectReadHttpAgent(agentOptions);
    this.httpsAgent = new DirectReadHttpsAgent(agentOptions);
  }

  /** @param proxy for https hosts */
  send({ timeouts, ...request }: TransportRequest, state: RequestState, proxy?: URL): Promise<AxiosResponse> {
    return adapter({
      responseType: 'stream',
      maxRedirects: 0,
      validateStatus: null,
      // withTimeouts limits the time.
      timeout: 0,
      transport: withTimeouts(state, timeouts),
      httpAgent: this.httpAgent,
      httpsAgent: proxy ? this.tunnel(proxy) : this.httpsAgent,
      ...request,
      headers: axios.AxiosHeaders.from(request.headers),
    });
  }

  close(): void {
    for (const agent of [this.httpAgent, this.httpsAgent, ...this.tunnels.values()]) agent.destroy();
    this.tunnels.clear();
  }

  private tunnel(proxy: URL): TunnelAgent {
    const agent = this.tunnels.get(proxy.href) ?? new TunnelAgent(proxy, this.agentOptions);
    this.tunnels.set(proxy.href, agent);
    return agent;
  }
}
