/** The upload node converts to Google Docs, Sheets and Slides: docs/nodes/upload.md. */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { TOKEN } from '../../local-drive/spec/drive-fixture';
import { officialClient } from '../../local-drive/spec/official-client';
import { useDrive } from '../../support/node-red/flow-drive';
import { type Ending, type LoadedFlow, load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

const SHEET = 'application/vnd.google-apps.spreadsheet';
const CSV = 'day,value\nMonday,1\n';

describe('upload node with a conversion', () => {
  useNodeRed();
  const drive = useDrive({ token: TOKEN });
  let flow: LoadedFlow;
  let unique = 0;

  const run = async (
    more: object,
    payload: unknown = CSV,
    service: 'google' | 'custom' = 'google',
  ): Promise<Ending> => {
    await helper.unload();
    const node = {
      id: 'n',
      type: 'cloud-drive-upload',
      convertTo: 'spreadsheet',
      targetName: 'a.csv',
      ...more,
    };
    flow = await load([node], { url: drive().url, service });
    return flow.run('n', { payload });
  };
  const requests = (): string[] =>
    drive()
      .requests.to('', '/drive/v3/')
      .map(({ method, path }) => `${method} ${path.replace(/^.*\/v3\//, '')}`);

  it('upload makes a Sheet of CSV, as the official client does, and asks for the formats once', async () => {
    drive().requests.clear();
    const sent = passed(await run({}));
    requests().should.deepEqual(['GET about', 'POST files']);
    const { id, mimeType } = sent.payload as { id: string; mimeType: string };
    const { client, here } = officialClient(drive().url);
    const { data } = await client.files.create(
      { requestBody: { name: 'a.csv', mimeType: SHEET }, media: { mimeType: 'text/csv', body: CSV } },
      here,
    );
    should(mimeType).equal(data.mimeType);
    for (const fileId of [id, String(data.id)])
      should((await client.files.export({ fileId, mimeType: 'text/csv' }, here)).data).equal(CSV);
    drive().requests.clear();
    passed(await flow.run('n', { payload: CSV }));
    requests().should.deepEqual(['POST files']);
  });

  it('upload rejects a conversion that the service does not offer, before anything is sent', async () => {
    for (const more of [{ convertTo: 'document' }, { convertTo: 'presentation' }, { targetName: 'a.zip' }]) {
      drive().requests.clear();
      failed(await run(more), 'invalid_input', "can't convert");
      requests().should.deepEqual(['GET about']);
    }
    passed(await run({ targetName: 'a', mimeType: 'text/csv; charset=utf-8' }));
    failed(await run({ convertTo: 'poem' }), 'invalid_input');
  });

  it('upload replaces the content of a Sheet, but no other file of that name', async () => {
    const targetName = `daily ${++unique}`;
    const settings = { targetName, mimeType: 'text/csv', ifExists: 'replace' };
    const first = passed(await run(settings)).payload as { id: string };
    const second = passed(await run(settings, 'new\n'));
    should(second).match({ payload: { id: first.id }, created: false });
    should((await drive().files.contentOf(first.id)).toString()).equal('new\n');
    await drive().files.add({ name: 'plain.csv', content: 'x' });
    const other = { ...settings, targetName: 'plain.csv' };
    failed(await run(other), 'conflict', 'document of the chosen type');
  });

  it('upload converts a large file from disk or memory in a session', async () => {
    const large = `${'a,b\n'.repeat(1_500_000)}`;
    const sent = passed(await run({}, large));
    const { id } = sent.payload as { id: string };
    (await drive().files.contentOf(id)).length.should.equal(large.length);
  });

  it('upload converts at a custom service that offers it', async () => {
    should(passed(await run({}, CSV, 'custom')).payload).match({ mimeType: SHEET });
  });
});
