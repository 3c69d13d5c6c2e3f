/**
 * What requests go over: axios, and Node's agents, whose connections are kept. Loaded with the first request, since that
 * takes longer than to load all the rest of the package.
 */
import type http from 'node:http';
import axios, { type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import type { RequestState } from './transport-error';
import { ReadingHttpAgent, ReadingHttpsAgent } from './reading-agents';
import { TunnelAgent } from './tunnel-agent';
import { withIdleTimeout } from './idle-timeout';

/** What axios is told of a request. https://axios-http.com/docs/req_config */
export interface TransportRequest extends Omit<InternalAxiosRequestConfig, 'headers'> {
  headers: Record<string, string>;
  /** ms */
  timeout: number;
}

/**
 * What axios does around its adapter (defaults merged, interceptors, transformers, all of it for each request) is not
 * needed here, and would double a small call's price.
 */
const adapter = axios.getAdapter('http');

export class Transport {
  private readonly httpAgent: ReadingHttpAgent;
  private readonly httpsAgent: ReadingHttpsAgent;
  /** By the proxy's address. */
  private readonly tunnels = new Map<string, TunnelAgent>();

  constructor(private readonly sockets: http.AgentOptions) {
    this.httpAgent = new ReadingHttpAgent(sockets);
    this.httpsAgent = new ReadingHttpsAgent(sockets);
  }

  /** @param through the proxy that leads to an https host */
  send(request: TransportRequest, line: RequestState, through?: URL): Promise<AxiosResponse> {
    return adapter({
      ...request,
      responseType: 'stream',
      maxRedirects: 0,
      validateStatus: null,
      headers: axios.AxiosHeaders.from(request.headers),
      transport: withIdleTimeout(line, request.timeout),
      httpAgent: this.httpAgent,
      httpsAgent: through ? this.tunnel(through) : this.httpsAgent,
    });
  }

  close(): void {
    for (const agent of [this.httpAgent, this.httpsAgent, ...this.tunnels.values()]) agent.destroy();
    this.tunnels.clear();
  }

  private tunnel(proxy: URL): TunnelAgent {
    const agent = this.tunnels.get(proxy.href) ?? new TunnelAgent(proxy, this.sockets);
    this.tunnels.set(proxy.href, agent);
    return agent;
  }
}
