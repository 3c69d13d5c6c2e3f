/** The saved state of a watch in each instance of a subflow. */
import type { NodeMessage } from 'node-red';
import should from 'should';
import { ACCESS_TOKEN } from '../../support/node-red/account';
import { useDrive } from '../../support/node-red/flow-drive';
import { type LoadedFlow, load, useNodeRed } from '../../support/node-red/load';
import { useRuntimeClock } from '../../support/node-red/runtime-clock';

const MINUTE = 60_000;

describe('watch node in a subflow', () => {
  useNodeRed();
  const drive = useDrive({ token: ACCESS_TOKEN });
  const clock = useRuntimeClock();
  let folder: string;

  beforeEach(async () => {
    folder = await drive().files.addFolder('watched');
  });

  const finishedPolls = (): number => clock().sleeps.filter((ms) => ms >= MINUTE).length;
  async function pollsFinished(count: number): Promise<void> {
    while (finishedPolls() < count) await clock().advance(5);
    for (let turn = 0; turn < 10; turn++) await clock().advance(0);
  }
  async function startWatch(): Promise<LoadedFlow> {
    const node = {
      id: 'n',
      type: 'cloud-drive-watch',
      z: 'template',
      account: 'account',
      folder,
      wires: [[]],
      x: 0,
      y: 0,
    };
    const flow = await load(
      [
        {
          id: 'template',
          type: 'subflow',
          name: 'watched',
          in: [],
          out: [{ wires: [{ id: 'n', port: 0 }] }],
        },
        node,
        { id: 'instance', type: 'subflow:template', z: 'tab', x: 0, y: 0, wires: [['out']] },
        { id: 'out', type: 'helper', z: 'tab', x: 0, y: 0, wires: [] },
      ],
      { url: drive().url, service: 'google' },
    );
    await pollsFinished(1);
    return flow;
  }
  const topics = (flow: LoadedFlow): unknown[] => flow.messages('out').map(({ topic }: NodeMessage) => topic);

  it('watch node in a subflow resumes after its subflow instance was disabled', async () => {
    const flow = await startWatch();
    await flow.redeploy('instance', { d: true });
    await drive().files.add({ name: 'a', parent: folder });
    await flow.redeploy('instance', { d: false });
    await pollsFinished(2);
    should(topics(flow)).eql(['a']);
  });

  for (const [what, deletedId] of [
    ['its subflow instance', 'instance'],
    ['the node', 'n'],
  ] as const) {
    it(`watch in a subflow starts from scratch if ${what} was deleted`, async () => {
      const flow = await startWatch();
      await flow.redeploy(deletedId, { id: 'another' });
      await pollsFinished(2);
      await drive().files.add({ name: 'a', parent: folder });
      await flow.redeploy('another', { id: deletedId });
      await pollsFinished(3);
      await drive().files.add({ name: 'b', parent: folder });
      await clock().advance(MINUTE);
      await pollsFinished(4);
      should(topics(flow)).eql(['b']);
    });
  }
});
