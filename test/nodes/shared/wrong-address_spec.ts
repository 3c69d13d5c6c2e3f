/** Addresses of an account that lead elsewhere: the error says which, and not that a file is missing. */
import { useDrive } from '../../support/node-red/flow-drive';
import { load, useNodeRed } from '../../support/node-red/load';
import { failed } from '../../support/node-red/outcome';
import { type Reply, ScriptedService } from '../../support/http/scripted-service';

const html = (status: number): Reply => ({
  status,
  headers: { 'Content-Type': 'text/html' },
  body: '<html>Cannot GET that</html>',
});

describe('an address of the account that leads elsewhere', () => {
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

  for (const [what, reply] of [
    ['a page that says 404', html(404)],
    ['JSON that says 404', { status: 404, body: { detail: 'Not Found' } }],
    ['410', html(410)],
  ] as const) {
    it(`about: ${what}`, async () => {
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
    it(`${type}: a page where JSON should be`, async () => {
      elsewhere.onRequest(() => html(200));
      failed(await run(type, { [property]: elsewhere.url }, msg), 'bad_response', property);
    });
  }

  for (const type of ['list-folders', 'download']) {
    it(`${type}: the file or folder is missing, or the address is wrong`, async () => {
      elsewhere.onRequest(() => html(404));
      failed(await run(type, { baseUrl: elsewhere.url }, { payload: 'f' }), 'not_found', 'baseUrl');
    });
  }

  for (const [type, property, more] of [
    ['list-folders', 'baseUrl', 'drive/v3'],
    ['upload', 'uploadUrl', 'upload/drive/v3'],
  ] as const) {
    it(`${type}: the path that the nodes add is named, and nothing is sent`, async () => {
      drive().requests.clear();
      const ended = await run(type, { [property]: `${drive().url}/${more}` }, { payload: '', filename: 'a' });
      failed(ended, 'not_configured', property, `write ${drive().url} there`);
      drive().requests.all.should.be.empty();
    });
  }

  it('a service that gives a reason is believed', async () => {
    const { message } = failed(await run('list-folders', {}, { payload: 'gone' }), 'not_found');
    message.should.not.containEql('baseUrl');
  });

  for (const reply of [html(404), html(405), html(200), { status: 404, body: { error: { code: 404 } } }]) {
    it(`the token endpoint: ${JSON.stringify(reply)}`, async () => {
      elsewhere.onRequest(() => reply);
      const ended = await run('about', { tokenUrl: `${elsewhere.url}/wrong` }, {});
      failed(ended, 'bad_response', 'tokenUrl').message.should.not.containEql('file');
    });
  }
});
