/** Runs nodes of the demo's tabs with their deployed settings, without their Inject and Debug nodes. */
import 'should';

interface Node {
  id: string;
  type: string;
  name?: string;
  label?: string;
  z?: string;
}

/**
 * Deploys copies of nodes between an HTTP request and its response, and requests it.
 * @param tab label of the tab
 * @param names of its nodes, in order; the type of a node without a name
 * @returns the body of the response
 */
export async function runNodes<T>(port: number, tab: string, ...names: string[]): Promise<T> {
  const request = (method: string, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${port}/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const all = (await (await request('GET', 'flows')).json()) as Node[];
  const { id: z } = all.find(({ type, label }) => type === 'tab' && label === tab)!;
  const chain = names.map((name, index) => ({
    ...all.find((node) => node.z === z && (node.name || node.type) === name)!,
    ...{ id: `run-nodes-${index}`, wires: [[`run-nodes-${index + 1}`]] },
  }));
  const nodes = [
    { id: 'run-nodes', type: 'http in', url: '/run-nodes', method: 'get', wires: [['run-nodes-0']] },
    ...chain,
    { id: `run-nodes-${chain.length}`, type: 'http response', wires: [] },
    { id: 'run-nodes-caught', type: 'catch', scope: null, wires: [['run-nodes-failed']] },
    { id: 'run-nodes-failed', type: 'http response', statusCode: '500', wires: [] },
  ];
  const added = await request('POST', 'flow', { label: 'run-nodes', nodes });
  const { id } = (await added.json()) as { id: string };
  let response = await request('GET', 'run-nodes');
  // Node-RED responds to a deploy before the nodes have started.
  while (response.status === 404) {
    await response.arrayBuffer();
    response = await request('GET', 'run-nodes');
  }
  response.status.should.equal(200);
  const result = (await response.json()) as T;
  const removed = await request('DELETE', `flow/${id}`);
  if (!removed.ok) throw new Error(`Node-RED responded ${removed.status} to the removal of the tab.`);
  return result;
}
