/** Wrong URLs of an account: the error names the property instead of reporting a missing file. */
import { useDrive } from '../../support/node-red/flow-drive';
import { load, useNodeRed } from '../../support/node-red/load';
import { failed } from '../../support/node-red/outcome';
import { type Reply, ScriptedService } from '../../support/http/scripted-service';

const html = (status: number): Reply => ({
  status,
  headers: { 'Content-Type': 'text/html' },
  body: '<html>Cannot GET that</html>',
});

describe('nodes with a wrong URL in the account', () => {
  useNodeRed();
  const drive = useDrive();
  let elsewhere: ScriptedService;

  before(async () => (elsewhere = await ScriptedService.start()));
  after(() => elsewhere.close());

  const run = async (type: string, account: object, msg: object) => {
    const flow = await load([{ id: 'n', type: `cloud-drive-${type}` }], {
      url: drive().url,
      account: { retryFor: 0, ...account },
    });
    return flow.run('n', { ...msg });
  };

  for (const [description, reply] of [
    ['a 404 with HTML', html(404)],
    ['a 404 with JSON of another service', { status: 404, body: { detail: 'Not Found' } }],
    ['a 410 with HTML', html(410)],
  ] as const) {
    it(`about names the wrong URL after ${description}`, async () => {
      elsewhere.onRequest(() => reply);
      const { message } = failed(
        await run('about', { baseUrl: `${elsewhere.url}/wrong` }, {}),
        'bad_response',
        'baseUrl',
        'looks wrong',
      );
      message.should.not.containEql('file');
    });
  }

  for (const [type, property, msg] of [
    ['about', 'baseUrl', {}],
    ['upload', 'uploadUrl', { payload: 'x', filename: 'a' }],
  ] as const) {
    it(`${type} names the wrong URL after HTML instead of JSON`, async () => {
      elsewhere.onRequest(() => html(200));
      failed(await run(type, { [property]: elsewhere.url }, msg), 'bad_response', property);
    });
  }

  for (const type of ['list-folders', 'download']) {
    it(`${type} reports that the file is missing or the URL is wrong`, async () => {
      elsewhere.onRequest(() => html(404));
      failed(await run(type, { baseUrl: elsewhere.url }, { payload: 'f' }), 'not_found', 'baseUrl');
    });
  }

  for (const [type, property, more] of [
    ['list-folders', 'baseUrl', 'drive/v3'],
    ['upload', 'uploadUrl', 'upload/drive/v3'],
  ] as const) {
    it(`${type} rejects a URL that contains the path of the API without any request`, async () => {
      drive().requests.clear();
      const ended = await run(type, { [property]: `${drive().url}/${more}` }, { payload: '', filename: 'a' });
      failed(ended, 'not_configured', property, `Change the URL to ${drive().url}.`);
      drive().requests.all.should.be.empty();
    });
  }

  it('about reports a missing file if the service returns a reason', async () => {
    const { message } = failed(await run('list-folders', {}, { payload: 'gone' }), 'not_found');
    message.should.not.containEql('baseUrl');
  });

  for (const reply of [html(404), html(405), html(200), { status: 404, body: { error: { code: 404 } } }]) {
    it(`about names a wrong token URL after ${JSON.stringify(reply)}`, async () => {
      elsewhere.onRequest(() => reply);
      const ended = await run('about', { tokenUrl: `${elsewhere.url}/wrong` }, {});
      failed(ended, 'bad_response', 'tokenUrl').message.should.not.containEql('file');
    });
  }
});
