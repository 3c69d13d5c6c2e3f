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
});
