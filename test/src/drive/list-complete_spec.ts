/** Lists that must be complete. */
import 'should';
import type { CallOptions, DriveFile } from '../../../src/types';
import { BandwidthLimiter } from '../../../src/core/bandwidth-limiter';
import { type DriveContext, createDriveContext } from '../../../src/drive/drive-context';
import { listPages, listComplete, readComplete } from '../../../src/drive/list';
import { CAPABILITIES } from '../../../src/capabilities';
import { listDrive } from '../../../src/sync/list-drive';
import { createTestEngine } from '../../support/client/test-engine';
import { rejected } from '../../support/client/rejected';
import { type ScriptedResponse, useScriptedService } from '../../support/http/scripted-service';

describe('lists that must be complete', () => {
  const service = useScriptedService();
  let drive: DriveContext;
  let close: () => void;

  beforeEach(() => {
    const { engine, http, clock } = createTestEngine(service.url, { retryFor: 10_000 });
    const urls = { baseUrl: service.url, uploadUrl: service.url, driveId: '' };
    const google = { can: CAPABILITIES.google, folderMimeType: 'folder', ...urls };
    drive = createDriveContext({
      ...{ engine, service: google, bandwidth: new BandwidthLimiter(0, clock), clock },
    });
    close = () => http.close();
  });

  afterEach(() => close());

  const file = (id: string): DriveFile => ({ id, name: 'a', mimeType: 'text/plain', parents: ['A'] });
  const page = (...ids: string[]): ScriptedResponse => ({ body: { files: ids.map(file) } });
  const incomplete = (...ids: string[]): ScriptedResponse => ({
    body: { files: ids.map(file), incompleteSearch: true },
  });
  const first = (...ids: string[]): ScriptedResponse => ({
    body: { files: ids.map(file), nextPageToken: 'next' },
  });
  const pages = (call: CallOptions) => listPages(drive, { q: '', fields: 'id' }, call);
  const ids = (files: readonly DriveFile[]): string => files.map(({ id }) => id).join(' ');

  it('a list is repeated from its first page until it is complete, and only the last attempt counts', async () => {
    service.respondInOrder(first('1'), incomplete('2'), incomplete('1'), first('1'), page('2', '3'));
    ids(await listComplete(drive, { pages }, {})).should.equal('1 2 3');
    service.requests.length.should.equal(5);
  });

  it('a list that stays incomplete is an error after three attempts', async () => {
    service.onRequest(() => incomplete('1'));
    const text = 'bad_response_incomplete_names';
    const list = listComplete(drive, { pages, text, params: { name: 'n' } }, {});
    const error = await rejected(list, 'bad_response', text);
    error.params.should.eql({ name: 'n' });
    service.requests.length.should.equal(3);
  });

  it('a list is read page by page, so that memory does not depend on its length', async () => {
    service.respondInOrder(first('1'), page('2'));
    const requested: number[] = [];
    const read = async (list: AsyncIterable<DriveFile[]>): Promise<void> => {
      for await (const files of list) requested.push(service.requests.length, files.length);
    };
    await readComplete(drive, { pages }, read, {});
    requested.should.eql([1, 1, 2, 1]);
  });

  const busy: ScriptedResponse = { status: 503, headers: { 'retry-after': '6' } };

  it('all pages and attempts of a list share the retry budget of the call', async () => {
    service.respondInOrder(busy, first('1'), busy, page('2'));
    await rejected(listComplete(drive, { pages }, {}), 'service_unavailable');
  });

  it('the list of a synchronization shares the retry budget of the call', async () => {
    service.respondInOrder(busy, first('1'), busy, page('2'));
    await rejected(listDrive(drive, ['A'], {}), 'service_unavailable');
  });
});
