/** The random delay of backup and sync folder: docs/service-accounts.md. The tests of watch are in watch_spec.ts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { ACCESS_TOKEN } from '../../support/node-red/account';
import { fileRequests, useDrive } from '../../support/node-red/flow-drive';
import { type Ending, type LoadedFlow, load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';
import { useRuntimeClock } from '../../support/node-red/runtime-clock';

const { random } = Math;

for (const [type, properties] of [
  ['backup', { folder: '/Backups', folderType: 'str', jitter: 1_200 }],
  ['sync', { folder: '/Copy', folderType: 'str', jitter: '1200' }],
] as const) {
  describe(`the random delay of ${type}`, () => {
    useNodeRed();
    const drive = useDrive({ token: ACCESS_TOKEN });
    const clock = useRuntimeClock();
    let source: string;

    before(async () => {
      source = await mkdtemp(path.join(tmpdir(), 'delay-'));
      await writeFile(path.join(source, 'a.txt'), 'text');
    });
    beforeEach(() => (Math.random = () => 0.25));
    afterEach(() => (Math.random = random));
    after(() => rm(source, { recursive: true }));

    const start = async (): Promise<LoadedFlow> =>
      load([{ id: 'n', type: `cloud-drive-${type}`, ...properties }], {
        url: drive().url,
        service: 'google',
      });

    /** Advances the time until the message has ended: requests have timers, too. */
    const ending = async (running: Promise<Ending>): Promise<Ending> => {
      let isRunning = true;
      void running.finally(() => (isRunning = false));
      while (isRunning) await clock().advance(5);
      return running;
    };

    it(`${type} shows how long it waits, and starts after that`, async () => {
      const flow = await start();
      const running = flow.run('n', { filename: source });
      await flow.status('n', ({ text }) => text === '300 s');
      await clock().untilSleeping();
      await clock().advance(299_000);
      fileRequests(drive()).should.eql([]);
      await clock().advance(1_000);
      passed(await ending(running));
      should(fileRequests(drive()).length).be.above(0);
    });

    it(`${type} sends nothing if it is cancelled while it waits`, async () => {
      const flow = await start();
      const running = flow.run('n', { filename: source });
      await clock().untilSleeping();
      await flow.run('n', { cancel: true });
      failed(await ending(running), 'cancelled');
      await clock().advance(300_000);
      fileRequests(drive()).should.eql([]);
    });

    it(`${type} sends nothing if the flow is deployed while it waits`, async () => {
      const flow = await start();
      flow.send('n', { filename: source });
      await clock().untilSleeping();
      await helper.unload();
      await clock().advance(300_000);
      fileRequests(drive()).should.eql([]);
    });

    it(`messages that ${type} receives while it waits each get their own result`, async () => {
      const flow = await start();
      const first = flow.run('n', { filename: source, topic: 'first' });
      await clock().untilSleeping();
      Math.random = () => 0.1;
      const second = flow.run('n', { filename: source, topic: 'second' });
      await clock().untilSleeping(2);
      await clock().advance(120_000);
      should(passed(await ending(second)).topic).equal('second');
      await clock().advance(170_000);
      should(passed(await ending(first)).topic).equal('first');
    });
  });
}
