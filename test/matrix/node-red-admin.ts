/** Node-RED's admin API: what Node-RED has loaded from the package. https://nodered.org/docs/api/admin */
import type { NodeRed } from '../support/node-red/node-red';
import { NAME } from './package-sources';

export interface NodeSet {
  module: string;
  version: string;
  types: string[];
  enabled: boolean;
  err?: unknown;
}

/** The node sets of the package, one per manifest entry. */
export async function nodeSets(nodeRed: NodeRed): Promise<NodeSet[]> {
  const sets = (await fetchJson(nodeRed, '/nodes')) as NodeSet[];
  return sets.filter(({ module }) => module === NAME);
}

/** File names of the package's icons. */
export async function icons(nodeRed: NodeRed): Promise<string[]> {
  const { [NAME]: ours = [] } = (await fetchJson(nodeRed, '/icons')) as Record<string, string[]>;
  return ours;
}

export async function icon(nodeRed: NodeRed, file: string): Promise<string> {
  return (await fetchOk(nodeRed, `/icons/${NAME}/${file}`)).text();
}

/** @returns the catalogue of each type */
export async function texts(nodeRed: NodeRed, language: string): Promise<Map<string, unknown>> {
  const catalogues = (await fetchJson(nodeRed, `/nodes/messages?lng=${language}`)) as Record<string, unknown>;
  const ours = Object.entries(catalogues).filter(([namespace]) => namespace.startsWith(`${NAME}/`));
  return new Map(ours.map(([namespace, catalogue]) => [namespace.slice(NAME.length + 1), catalogue]));
}

/** The forms and help texts of all nodes. */
export async function editorPage(nodeRed: NodeRed, language: string): Promise<string> {
  const headers = { Accept: 'text/html', 'Accept-Language': language };
  return (await fetchOk(nodeRed, '/nodes', headers)).text();
}

/** Names of the example flows. */
export async function examples(nodeRed: NodeRed): Promise<string[]> {
  const entries = (await fetchJson(nodeRed, `/library/examples/flows/${NAME}`)) as { fn: string }[];
  return entries.map(({ fn }) => fn);
}

export function example(nodeRed: NodeRed, name: string): Promise<unknown> {
  return fetchJson(nodeRed, `/library/examples/flows/${NAME}/${encodeURIComponent(name)}`);
}

async function fetchJson(nodeRed: NodeRed, path: string): Promise<unknown> {
  return (await fetchOk(nodeRed, path, { Accept: 'application/json' })).json();
}

async function fetchOk(
  nodeRed: NodeRed,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await nodeRed.request(path, { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}
