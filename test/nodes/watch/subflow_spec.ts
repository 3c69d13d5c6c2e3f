/** A watch in a subflow: where each instance of it stands. */
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

  const rests = (): number => clock().sleeps.filter((ms) => ms >= MINUTE).length;
  async function rested(count: number): Promise<void> {
    while (rests() < count) await clock().advance(5);
    for (let turn = 0; turn < 10; turn++) await clock().advance(0);
  }
  async function begun(): Promise<LoadedFlow> {
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
        { id: 'instance', type: 'subflow:template', z: 'tab', x: 0, y: 0, wires: [['told']] },
        { id: 'told', type: 'helper', z: 'tab', x: 0, y: 0, wires: [] },
      ],
      { url: drive().url, service: 'google' },
    );
    await rested(1);
    return flow;
  }
  const told = (flow: LoadedFlow): unknown[] => flow.messages('told').map(({ topic }: NodeMessage) => topic);

  it('goes on where it was after the instance was disabled', async () => {
    const flow = await begun();
    await flow.redeploy('instance', { d: true });
    await drive().files.add({ name: 'a', parent: folder });
    await flow.redeploy('instance', { d: false });
    await rested(2);
    should(told(flow)).eql(['a']);
  });

  for (const [what, gone] of [
    ['its instance', 'instance'],
    ['it', 'n'],
  ] as const) {
    it(`begins anew where ${what} was deleted`, async () => {
      const flow = await begun();
      await flow.redeploy(gone, { id: 'another' });
      await rested(2);
      await drive().files.add({ name: 'a', parent: folder });
      await flow.redeploy('another', { id: gone });
      await rested(3);
      await drive().files.add({ name: 'b', parent: folder });
      await clock().advance(MINUTE);
      await rested(4);
      should(told(flow)).eql(['b']);
    });
  }
});
