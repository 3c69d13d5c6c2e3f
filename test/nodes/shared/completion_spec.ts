/**
 * A message that goes well is done once, and Complete nodes hear of it.
 * https://nodered.org/docs/creating-nodes/node-js#handling-errors
 */
import should from 'should';
import { useDisk } from '../../support/disk';
import { useDrive } from '../../support/node-red/flow-drive';
import { load, useNodeRed } from '../../support/node-red/load';
import { endings, passed } from '../../support/node-red/outcome';

/** Each node as a flow saves it that knows none of its properties. */
describe('a message that goes well', () => {
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
    it(`through ${name} is the same one with the user's properties, and comes to Complete once`, async () => {
      const flow = await load([{ id: 'n', type: `cloud-drive-${name}` }], { url: drive().url });
      const own = { deep: { list: [1, 2] } };
      const given = { ...(await message()), topic: 't', own, _event: 'mine' };
      const ending = await flow.run('n', given);
      const sent = passed(ending);
      should(sent).match({ topic: 't', _event: 'mine' });
      // Not a copy: the one message goes on.
      should(sent['own']).equal(own);
      if ('filename' in given) should(sent['filename']).equal(given.filename);
      passed(await flow.run('n', await message()));
      endings(flow, ending.msg._msgid).should.eql({ complete: 1, caught: 0 });
    });
  }
});
