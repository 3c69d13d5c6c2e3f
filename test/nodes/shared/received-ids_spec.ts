/** Errors about a file that wasn't found quote the id that the node received: docs/errors.md, `not_found`. */
import should from 'should';
import { ReceivedIds } from '../../../nodes/shared/runtime/id-or-path';
import type { DriveError } from '../../../src/index';
import { driveError } from '../../support/client/drive-error';
import { useDrive } from '../../support/node-red/flow-drive';
import { load, useNodeRed } from '../../support/node-red/load';
import { failed } from '../../support/node-red/outcome';

/** What an error says about the values that a node received. */
function received(values: Record<string, string>, text = 'not_found'): string | undefined {
  const ids = new ReceivedIds();
  for (const [property, value] of Object.entries(values)) ids.add(property, 'msg.payload', value);
  const error = driveError('not_found', { text });
  should(ids.addTo(error, nameOf)).equal(error);
  return error.received;
}

const nameOf = (property: string, source: string): string => `${property} (${source})`;

describe('ReceivedIds', () => {
  it('an error quotes every id and path with its property and source', () => {
    should(received({ file: '1aB-c_2', folder: '/Backups/2026' })).equal(
      "file (msg.payload) '1aB-c_2', folder (msg.payload) '/Backups/2026'",
    );
  });

  it('only errors that don’t name what is missing quote ids', () => {
    for (const text of ['not_found_address', 'not_found_request', 'not_found_watched'])
      should(received({ file: 'x' }, text)).be.ok();
    should(received({ file: 'x' }, 'not_found_path')).be.undefined();
    should(new ReceivedIds().addTo('other', nameOf)).equal('other');
  });

  it('an error quotes the latest value of a property', () => {
    const ids = new ReceivedIds();
    for (const id of ['first', 'second']) ids.add('file', 'msg.payload', id);
    should((ids.addTo(driveError('not_found'), nameOf) as DriveError).received).equal(
      "file (msg.payload) 'second'",
    );
    ids.add('file', 'msg.payload', 'ya29.x');
    should((ids.addTo(driveError('not_found'), nameOf) as DriveError).received).be.undefined();
  });

  for (const secret of [
    'ya29.canary',
    '/ya29.canary',
    '1//canary',
    'GOCSPX-canary',
    'AIzaCanary',
    'eyJhbGciOiJSUzI1NiJ9.canary.canary',
    'AGE-SECRET-KEY-1CANARY',
    'https://example.org/canary',
    '/x?token=canary',
    'token=canary',
    'a canary',
    'canary\0',
    'canary'.repeat(20),
    '',
  ]) {
    it(`an error doesn't quote ${JSON.stringify(secret)}`, () => {
      should(received({ file: secret })).be.undefined();
    });
  }
});

describe('nodes that find nothing', () => {
  useNodeRed();
  const drive = useDrive();

  for (const [type, settings, msg, words] of [
    ['download', {}, { payload: 'not-there' }, "file (msg.payload) 'not-there'"],
    ['file-info', {}, { payload: { id: 'not-there' } }, "file (msg.payload) 'not-there'"],
    ['file-info', { file: 'not-there', fileType: 'str' }, {}, "file (str) 'not-there'"],
    ['delete', {}, { payload: ['not-there'] }, undefined],
    ['delete', {}, { payload: 'not-there' }, "file (msg.payload) 'not-there'"],
    [
      'upload',
      {},
      { payload: 'x', filename: 'a.txt', folderId: 'not-there' },
      "folder (msg.folderId) 'not-there'",
    ],
    ['request', { path: 'files/not-there' }, {}, "path (str) 'files/not-there'"],
    ['download', {}, { payload: 'ya29.canary' }, undefined],
  ] as [string, object, Record<string, unknown>, string | undefined][]) {
    it(`${type} says ${words ?? 'no id'} for ${JSON.stringify(msg)}`, async () => {
      const node = { id: 'n', type: `cloud-drive-${type}`, ...settings };
      const flow = await load([node], { url: drive().url, service: 'google' });
      const ending = await flow.run('n', msg);
      const { message } = failed(ending, Array.isArray(msg['payload']) ? 'partial_failure' : 'not_found');
      if (words === undefined) message.should.not.match(/Received|canary/);
      else message.should.containEql(`Received: ${words}.`);
    });
  }
});
