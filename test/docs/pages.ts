/** The nodes in the order in which the flows on their pages build on each other: that of the table in docs/nodes.md. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/node-red/built-package';

/** Of each row of a document that begins with a link to the page of a node: that node. */
export function nodesInTable(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(/^\| \[[^\]]+\]\([\w/]*nodes\/([\w-]+)\.md\)/gm)].map(([, node]) => node!);
}

const HAVE_NO_FLOW = ['account'];

/** Those whose page has a flow to import. */
export const PAGES = nodesInTable('docs/nodes.md').filter((node) => !HAVE_NO_FLOW.includes(node));
