/** Lists of thousands of files, as an array and as one message per file: docs/nodes/search-files.md. */
import should from 'should';
import { MessageSize } from '../../nodes/shared/runtime/list-output';
import { rejected } from '../support/client/rejected';
import { useDrive } from '../support/node-red/flow-drive';
import { load, useNodeRed } from '../support/node-red/load';
import { passed } from '../support/node-red/outcome';

describe('large lists', () => {
  useNodeRed();
  const drive = useDrive();
  let folders: string;
  let files: string;

  before(async function () {
    folders = await drive().files.addFolder('2,500 folders');
    for (let number = 0; number < 2_500; number++) await drive().files.addFolder(`f ${number}`, folders);
    files = await drive().files.addFolder('1,500 files');
    for (let number = 0; number < 1_500; number++) {
      const word = number % 5 === 0 ? 'other' : 'hit';
      await drive().files.add({ name: `${word} ${number}`, parent: files, mimeType: 'text/plain' });
    }
  });

  it('the size of a message with a list is limited, however few items it has', async () => {
    const size = new MessageSize(1_000);
    for (let index = 0; index < 10; index++) size.add({ name: 'n'.repeat(80) });
    const add = (): Promise<void> => Promise.resolve().then(() => size.add({ name: 'n'.repeat(800) }));
    await rejected(add(), 'too_large', 'too_large_list');
  });

  for (const service of ['custom', 'google'] as const) {
    it(`list-folders sends all of 2,500 folders of a ${service} service`, async () => {
      const flow = await load([{ id: 'n', type: 'cloud-drive-list-folders' }], { url: drive().url, service });
      const sent = passed(await flow.run('n', { payload: folders }));
      const names = (sent.payload as { name: string }[]).map(({ name }) => name);
      new Set(names).size.should.equal(2_500);
      names.should.have.length(2_500);
      should(sent['truncated']).be.false();
    });

    it(`search-files sends all of 1,200 files of a ${service} service, one message each`, async () => {
      const flow = await load(
        [{ id: 'n', type: 'cloud-drive-search-files', output: 'each', fields: 'name' }],
        {
          url: drive().url,
          service,
        },
      );
      const { sent, error } = await flow.run('n', { payload: { folderId: files, text: 'hit' } });
      should(error).be.undefined();
      sent.should.have.length(1_200);
      new Set(sent.map(({ payload }) => (payload as { name: string }).name)).size.should.equal(1_200);
      should(sent.at(-1)?.['parts']).match({ index: 1_199, count: 1_200 });
    });

    it(`search-files can be cancelled in the middle of a page of a ${service} service`, async () => {
      const flow = await load([{ id: 'n', type: 'cloud-drive-search-files', output: 'each' }], {
        url: drive().url,
        service,
      });
      flow.node('n-out1').once('input', () => flow.node('n').receive({ cancel: true }));
      const { sent, error } = await flow.run('n', { payload: { folderId: files, text: 'hit' } });
      should(error?.cause?.code).equal('cancelled');
      sent.length.should.be.within(1, 5);
    });
  }
});
