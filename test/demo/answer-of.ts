/** What nodes of the demo's tabs answer, as they are deployed there, without their button and their debug node. */
import 'should';

interface Node {
  id: string;
  type: string;
  name?: string;
  label?: string;
  z?: string;
}

/**
 * @param tab label of the tab
 * @param names of its nodes, one after the other; where a node has no name, its type
 */
export async function answerOf<T>(port: number, tab: string, ...names: string[]): Promise<T> {
  const send = (method: string, where: string, body?: object) =>
    fetch(`http://127.0.0.1:${port}/${where}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const all = (await (await send('GET', 'flows')).json()) as Node[];
  const { id: z } = all.find(({ type, label }) => type === 'tab' && label === tab)!;
  const chain = names.map((name, index) => ({
    ...all.find((node) => node.z === z && (node.name || node.type) === name)!,
    ...{ id: `tried-${index}`, wires: [[`tried-${index + 1}`]] },
  }));
  const nodes = [
    { id: 'tried', type: 'http in', url: '/tried', method: 'get', wires: [['tried-0']] },
    ...chain,
    { id: `tried-${chain.length}`, type: 'http response', wires: [] },
    { id: 'tried-caught', type: 'catch', scope: null, wires: [['tried-failed']] },
    { id: 'tried-failed', type: 'http response', statusCode: '500', wires: [] },
  ];
  const added = await send('POST', 'flow', { label: 'tried', nodes });
  const { id } = (await added.json()) as { id: string };
  let response = await send('GET', 'tried');
  // Node-RED answers to a deploy before the nodes have begun.
  while (response.status === 404) {
    await response.arrayBuffer();
    response = await send('GET', 'tried');
  }
  response.status.should.equal(200);
  const answer = (await response.json()) as T;
  const removed = await send('DELETE', `flow/${id}`);
  if (!removed.ok) throw new Error(`Node-RED answered ${removed.status} to the end of the tab.`);
  return answer;
}
