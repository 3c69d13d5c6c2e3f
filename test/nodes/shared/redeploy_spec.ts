/** A node that is deployed alone cancels its messages silently: docs/nodes.md, "What comes out". */
import type { Node, NodeAPI, NodeMessage } from 'node-red';
import helper from 'node-red-node-test-helper';
import should from 'should';
import aboutNode from '../../../nodes/about/about';
import accountNode from '../../../nodes/account/account';
import { CREDENTIALS, customAccount } from '../../support/node-red/account';
import { useDrive } from '../../support/node-red/flow-drive';
import { deployFlow, useNodeRed } from '../../support/node-red/load';

/** Only the node is replaced by the deploy; the error handling of the flow stays. */
const flow = (url: string, name: string): object[] => [
  { id: 'tab', type: 'tab' },
  { id: 'account', type: 'cloud-drive-account', ...customAccount(url) },
  { id: 'n', type: 'cloud-drive-about', z: 'tab', x: 0, y: 0, name, account: 'account', wires: [['ended']] },
  { id: 'catch', type: 'catch', z: 'tab', x: 0, y: 0, scope: null, wires: [['ended']] },
  { id: 'complete', type: 'complete', z: 'tab', x: 0, y: 0, scope: ['n'], wires: [['ended']] },
  { id: 'status', type: 'status', z: 'tab', x: 0, y: 0, scope: ['n'], wires: [['shown']] },
  { id: 'ended', type: 'helper', z: 'tab', x: 0, y: 0, wires: [] },
  { id: 'shown', type: 'helper', z: 'tab', x: 0, y: 0, wires: [] },
];

type WithComplete = Node & { _complete: (msg: unknown, error: unknown) => void };

describe('redeploy of one node', () => {
  useNodeRed();
  const drive = useDrive();

  it('a redeploy of one node cancels its message without any message, error or status in the flow', async () => {
    let open = (): void => undefined;
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    const until = new Promise<void>((resolve) => (open = resolve));
    drive().faults.add({ kind: 'delay', match: { path: 'about' }, until: () => (arrive(), until) });
    const modules = [accountNode, aboutNode] as ((RED: NodeAPI) => void)[];
    const credentials = { account: CREDENTIALS };
    await helper.load(modules, flow(drive().url, 'old'), credentials);
    const messages: string[] = [];
    const statuses: unknown[] = [];
    helper.getNode('ended')?.on('input', (msg) => messages.push(msg._msgid ?? ''));
    helper.getNode('shown')?.on('input', (msg: NodeMessage) => statuses.push(msg['status']));

    const old = helper.getNode('n') as WithComplete;
    const complete = old._complete.bind(old);
    const done = new Promise<unknown>((resolve) => {
      old._complete = (msg, error) => {
        complete(msg, error);
        resolve(error);
      };
    });
    old.receive({ _msgid: 'old' });
    await arrived;
    await deployFlow(flow(drive().url, 'new'), 'nodes', credentials);
    statuses.length = 0;
    open();
    should(await done).match({ code: 'cancelled' });

    const renewed = helper.getNode('n');
    should(renewed).not.equal(old);
    const answered = new Promise<void>((resolve) => {
      helper.getNode('ended')?.on('input', (msg: NodeMessage) => {
        if (msg['complete'] !== undefined) resolve();
      });
    });
    renewed?.receive({ _msgid: 'new' });
    await answered;
    // One from the output and one from Complete.
    messages.should.eql(['new', 'new']);
    JSON.stringify(statuses).should.not.containEql('cancelled');
    const logged = (helper.log()?.args ?? []).map(([{ msg }]) => String(msg));
    logged.join().should.not.containEql('cancelled');
  });
});
