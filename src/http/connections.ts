/**
 * What requests go over: axios, and Node's agents, whose connections are kept. Loaded with the first request, since that
 * takes longer than to load all the rest of the package.
 */
import type http from 'node:http';
import axios, { type AxiosRequestHeaders } from 'axios';
import { ReadingHttpAgent, ReadingHttpsAgent } from './reading-agents';
import { TunnelAgent } from './tunnel-agent';

export { watched } from './watched-request';

/**
 * What axios does around its adapter (defaults merged, interceptors, transformers, all of it for each request) is not
 * needed here, and would double a small call's price.
 */
export const adapter = axios.getAdapter('http');

export function headersFrom(headers: Record<string, string>): AxiosRequestHeaders {
  return axios.AxiosHeaders.from(headers);
}

export class Connections {
  readonly httpAgent: ReadingHttpAgent;
  readonly httpsAgent: ReadingHttpsAgent;
  /** By the proxy's address. */
  private readonly tunnels = new Map<string, TunnelAgent>();

  constructor(private readonly sockets: http.AgentOptions) {
    this.httpAgent = new ReadingHttpAgent(sockets);
    this.httpsAgent = new ReadingHttpsAgent(sockets);
  }

  /** The agent for https hosts behind a proxy. */
  tunnel(proxy: URL): TunnelAgent {
    const agent = this.tunnels.get(proxy.href) ?? new TunnelAgent(proxy, this.sockets);
    this.tunnels.set(proxy.href, agent);
    return agent;
  }

  close(): void {
    for (const agent of [this.httpAgent, this.httpsAgent, ...this.tunnels.values()]) agent.destroy();
    this.tunnels.clear();
  }
}
