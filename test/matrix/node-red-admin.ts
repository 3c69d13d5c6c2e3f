/** What a Node-RED has found of the package, over the HTTP API that the editor uses. https://nodered.org/docs/api/admin */
import type { NodeRed } from '../support/node-red/node-red';
import { NAME } from './package-sources';

export interface NodeSet {
  module: string;
  version: string;
  types: string[];
  enabled: boolean;
  err?: unknown;
}

/** One for each line of the manifest. */
export async function nodeSets(nodeRed: NodeRed): Promise<NodeSet[]> {
  const sets = (await fetchJson(nodeRed, '/nodes')) as NodeSet[];
  return sets.filter(({ module }) => module === NAME);
}

/** File names of all icons that the picker shows. */
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

/** The page that the editor is made of: the forms and the help of all nodes. */
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

async function fetchJson(nodeRed: NodeRed, where: string): Promise<unknown> {
  return (await fetchOk(nodeRed, where, { Accept: 'application/json' })).json();
}

async function fetchOk(
  nodeRed: NodeRed,
  where: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const answer = await nodeRed.request(where, { headers });
  if (!answer.ok) throw new Error(`${where}: ${answer.status}`);
  return answer;
}
