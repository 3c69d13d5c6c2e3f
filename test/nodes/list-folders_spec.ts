/** What docs/nodes/list-folders.md says. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { GOOGLE_PRESET } from '../../nodes/account/settings/urls';
import { fileRequests, nodeRunner, useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

const FIELDS = [
  'id',
  'name',
  'mimeType',
  'size',
  'createdTime',
  'modifiedTime',
  'md5Checksum',
  'parents',
  'webViewLink',
];
const list = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-list-folders', ...more });

describe('list folders node', () => {
  useNodeRed();
  const drive = useDrive({ pageSizeDefault: 2 });
  let parent: string;
  const names = ['e', 'd', 'c', 'b', 'a'];

  before(async () => {
    parent = await drive().files.addFolder('parent');
    for (const name of names) await drive().files.addFolder(name, parent);
    await drive().files.add({ name: 'a file', content: 'x', parent });
    await drive().files.add({
      name: 'trashed',
      mimeType: GOOGLE_PRESET.folderMimeType,
      trashed: true,
      parent,
    });
    await drive().files.addFolder('too deep', drive().files.in(parent)[0]?.id);
  });

  const run = nodeRunner('list-folders', drive);
  const namesOf = (files: unknown): string[] => (files as { name: string }[]).map(({ name }) => name);

  for (const service of ['custom', 'google'] as const) {
    describe(`at a ${service} service`, () => {
      const run = nodeRunner('list-folders', drive, { service });

      it('list-folders sends the folders of all pages and nothing else', async () => {
        const sent = passed(await run({}, { payload: parent, topic: 't', parts: 'kept' }));
        namesOf(sent.payload)
          .sort()
          .should.eql([...names].sort());
        should(sent).match({ topic: 't', parts: 'kept', truncated: false });
        for (const file of sent.payload as object[]) {
          // A folder has neither size nor checksum.
          Object.keys(file).should.eql(FIELDS.filter((name) => !['size', 'md5Checksum'].includes(name)));
        }
      });

      it('list-folders sends the configured fields and requests all pages with any fields', async () => {
        for (const [fields, keys] of [
          ['name', ['name']],
          ['name,starred', ['name', 'starred']],
          [' name , id ', ['id', 'name']],
        ] as const) {
          const { payload } = passed(await run({ fields }, { payload: parent }));
          should(payload).have.length(5);
          Object.keys((payload as object[])[0] ?? {})
            .sort()
            .should.eql(keys);
        }
      });

      it('list-folders sends all fields for *', async () => {
        const { payload } = passed(await run({ fields: '*' }, { payload: parent }));
        (payload as object[])[0]?.should.have.properties('kind', 'capabilities');
        should(payload).have.length(5);
      });

      it('list-folders sends the default fields if the field is empty', async () => {
        const { payload } = passed(await run({ fields: '' }, { payload: parent }));
        (payload as object[])[0]?.should.have.properties('id', 'createdTime');
      });

      for (const [property, value] of [
        ['fields', 'id,nope'],
        ['orderBy', 'name up'],
      ] as const) {
        it(`list-folders names ${property} and its value if the service rejects it`, async () => {
          const ending = await run({ [property]: value }, { payload: parent });
          const { message, cause } = failed(ending, 'bad_response', 'Correct the value');
          message.should.match(new RegExp(`rejected ${property} \\(invalid\\w*\\): '${value}'\\.`));
          should(cause).containEql({ status: 400, retryable: false });
        });
      }

      it('list-folders sorts by orderBy', async () => {
        namesOf(passed(await run({ orderBy: 'name desc' }, { payload: parent })).payload).should.eql([
          'e',
          'd',
          'c',
          'b',
          'a',
        ]);
      });

      for (const [limit, count, truncated] of [
        [0, 5, false],
        ['', 5, false],
        [1, 1, true],
        ['4', 4, true],
        [5, 5, false],
        [6, 5, false],
      ]) {
        it(`list-folders ends at a limit of ${JSON.stringify(limit)}`, async () => {
          const sent = passed(await run({ limit, orderBy: 'name' }, { payload: parent }));
          should(sent.payload).have.length(count as number);
          should(sent).match({ truncated });
        });
      }

      it('list-folders sends one message per folder with output each', async () => {
        const { sent, error } = await run(
          { output: 'each', orderBy: 'name' },
          { payload: parent, topic: 't', own: { deep: 1 } },
        );
        should(error).be.undefined();
        namesOf(sent.map(({ payload }) => payload)).should.eql(['a', 'b', 'c', 'd', 'e']);
        const [first] = sent;
        const { id } = first?.['parts'] as { id: string };
        id.should.match(/^\w+$/);
        for (const [index, msg] of sent.entries()) {
          const end = index === 4 ? { count: 5 } : {};
          should(msg['parts']).eql({ id, index, type: 'array', len: 1, ...end });
          should(msg).match({ topic: 't', own: { deep: 1 } });
          if (index > 0) should(msg['own']).not.equal(first?.['own']);
        }
      });

      it('list-folders sends messages up to the limit, the last with the count', async () => {
        const { sent } = await run({ output: 'each', limit: 3 }, { payload: parent });
        sent.should.have.length(3);
        should(sent[2]?.['parts']).match({ index: 2, count: 3 });
      });

      it('list-folders sends an empty array or no message for an empty folder', async () => {
        const empty = await drive().files.addFolder('empty', await drive().files.addFolder('aside'));
        let flow = await load([list()], { url: drive().url, service });
        should(passed(await flow.run('n', { payload: empty })).payload).eql([]);
        await helper.unload();
        flow = await load([list({ output: 'each' })], { url: drive().url, service });
        const { sent, error } = await flow.run('n', { payload: empty });
        should(error).be.undefined();
        sent.should.be.empty();
      });

      it('list-folders sets truncated if the list may be incomplete', async () => {
        drive().faults.add({ kind: 'incompleteSearch', match: { path: 'files', nth: 2 } });
        should(passed(await run({}, { payload: parent }))).match({
          truncated: service === 'custom',
        });
      });

      it('list-folders continues after short and empty pages', async () => {
        drive().faults.add({ kind: 'shortPage', items: 0, match: { path: 'files', nth: 1 } });
        drive().faults.add({ kind: 'shortPage', items: 1, match: { path: 'files', nth: 2 } });
        should(passed(await run({}, { payload: parent })).payload).have.length(5);
      });
    });
  }

  it('list-folders sends a custom service only documented parameters', async () => {
    passed(await run({}, { payload: parent }));
    const { params } = drive().requests.to('GET', '/drive/v3/files')[0] ?? {};
    should(params?.get('q')).equal(`'${parent}' in parents and mimeType='${GOOGLE_PRESET.folderMimeType}'`);
    [...(params?.keys() ?? [])].should.eql(['q', 'fields']);
  });

  it('list-folders sends Google the page size and the shared drive parameters', async () => {
    passed(await run({}, { payload: parent }, { service: 'google' }));
    const { params } = drive().requests.to('GET', '/drive/v3/files')[0] ?? {};
    should(params?.get('q')).containEql('trashed=false');
    should(params?.get('pageSize')).equal('1000');
    should(params?.get('supportsAllDrives')).equal('true');
    should(params?.get('includeItemsFromAllDrives')).equal('true');
  });

  it('list-folders sends the folders of earlier pages before the error of a later page', async () => {
    const fault = { kind: 'error', reason: 'forbidden', match: { query: 'pageToken' } } as const;
    drive().faults.add(fault);
    const { sent, error } = await run({ output: 'each' }, { payload: parent });
    // The last one is withheld, because only the last message has the count.
    sent.should.have.length(1);
    should(error?.cause?.code).equal('permission_denied');
    drive().faults.add(fault);

    const arrayFlow = await load([list()], { url: drive().url });
    failed(await arrayFlow.run('n', { payload: parent }), 'permission_denied');
    should(passed(await arrayFlow.run('n', { payload: parent })).payload).have.length(5);
  });

  it('list-folders explains a missing folder', async () => {
    failed(await run({}, { payload: 'gone' }), 'not_found', 'drive.file');
    fileRequests(drive()).should.have.length(1);
  });
});
