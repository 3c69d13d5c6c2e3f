/**
 * A successful message completes once and reaches Complete nodes.
 * https://nodered.org/docs/creating-nodes/node-js#handling-errors
 */
import should from 'should';
import { useDisk } from '../../support/disk';
import { useDrive } from '../../support/node-red/flow-drive';
import { load, useNodeRed } from '../../support/node-red/load';
import { endings, passed } from '../../support/node-red/outcome';

/** Each node without any saved properties. */
describe('successful messages', () => {
  useNodeRed();
  const drive = useDrive();
  const disk = useDisk();
  const add = (): Promise<string> => drive().files.add({ name: 'a', content: 'x' });

  const MESSAGES: Record<string, () => Promise<Record<string, unknown>>> = {
    about: () => Promise.resolve({}),
    'list-folders': () => Promise.resolve({ payload: drive().files.rootId }),
    'search-files': () => Promise.resolve({ payload: 'a' }),
    download: async () => ({ payload: await add(), filename: disk('not written') }),
    delete: async () => ({ payload: await add() }),
    upload: () => Promise.resolve({ payload: 'x', filename: 'a' }),
    'create-folder': () => Promise.resolve({ payload: 'made' }),
  };

  for (const [name, message] of Object.entries(MESSAGES)) {
    it(`${name} sends the received message object with its other properties and completes it once`, async () => {
      const flow = await load([{ id: 'n', type: `cloud-drive-${name}` }], { url: drive().url });
      const own = { deep: { list: [1, 2] } };
      const given = { ...(await message()), topic: 't', own, _event: 'mine' };
      const ending = await flow.run('n', given);
      const sent = passed(ending);
      should(sent).match({ topic: 't', _event: 'mine' });
      // The same object, not a copy.
      should(sent['own']).equal(own);
      if ('filename' in given) should(sent['filename']).equal(given.filename);
      passed(await flow.run('n', await message()));
      endings(flow, ending.msg._msgid).should.eql({ complete: 1, caught: 0 });
    });
  }

  const NESTED = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as unknown;
  const throwing = (property: string): Record<string, unknown> =>
    Object.defineProperty({}, property, {
      enumerable: true,
      get: () => {
        throw new TypeError('from a getter');
      },
    });
  for (const [message, msg] of [
    ['a getter that throws', throwing('payload')],
    ['a getter that throws as cancel', throwing('cancel')],
    ['content that is nested 20,000 levels deep', { payload: 'x', extra: NESTED }],
    ['content that is nested too deeply as file', { payload: NESTED }],
  ] as const) {
    it(`a message with ${message} causes no unhandled rejection`, async () => {
      const unhandled: unknown[] = [];
      const listener = (reason: unknown): unknown => unhandled.push(reason);
      process.on('unhandledRejection', listener);
      const nodes = ['about', 'download'].map((type) => ({ id: type, type: `cloud-drive-${type}` }));
      const flow = await load(nodes, { url: drive().url });
      // Without the copy of `flow.send`, which would read the getter.
      flow.node('download').receive(Object.assign(msg, { _msgid: 'odd' }));
      await flow.status('download', ({ fill }) => fill === 'red');
      passed(await flow.run('about'));
      process.removeListener('unhandledRejection', listener);
      unhandled.should.be.empty();
      flow
        .logged()
        .join('\n')
        .should.match(/cloud-drive-download.*(?:No request was made|unexpected|not found)/i);
    });
  }
});
