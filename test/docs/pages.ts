/** The nodes in the order of docs/nodes.md, in which the flows on their pages depend on each other. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/node-red/built-package';

/** @returns the node of each table cell that starts with a link to the page of a node */
export function nodesInTable(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(/\| \[[^\]]+\]\([^)]*nodes\/([\w-]+)\.md\)/g)].map(([, node]) => node!);
}

const WITHOUT_FLOW = ['account'];

/** Nodes whose page has a flow. */
export const PAGES = nodesInTable('docs/nodes.md').filter((node) => !WITHOUT_FLOW.includes(node));
