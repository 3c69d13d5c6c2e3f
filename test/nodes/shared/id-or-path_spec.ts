/** Ids, paths, objects and browser URLs as a file or folder: docs/nodes.md, "What goes in". */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import {
  type IdOrPathInput,
  isPath,
  parseIdOrPath,
  ReceivedIds,
} from '../../../nodes/shared/runtime/id-or-path';
import { type DriveError, isDriveError } from '../../../src/index';
import { driveError } from '../../support/client/drive-error';
import { useDrive } from '../../support/node-red/flow-drive';
import { load, useNodeRed } from '../../support/node-red/load';
import { failed } from '../../support/node-red/outcome';

const parse = (value: unknown, more: Partial<IdOrPathInput> = {}): string =>
  parseIdOrPath({
    property: 'file',
    source: 'msg.payload',
    kind: 'file',
    can: CAPABILITIES.google,
    value,
    ...more,
  });

/** The text key of the `invalid_input` error. */
function problem(value: unknown, more: Partial<IdOrPathInput> = {}): string {
  try {
    parse(value, more);
  } catch (error) {
    if (isDriveError(error, 'invalid_input')) return error.text;
    throw error;
  }
  throw new Error('accepted');
}

describe('parseIdOrPath', () => {
  const ID = '1a-B_2c';

  for (const url of [
    `https://drive.google.com/file/d/${ID}/view?usp=sharing`,
    `https://drive.google.com/file/d/${ID}`,
    `https://drive.google.com/file/u/1/d/${ID}/edit`,
    `https://drive.google.com/a/example.org/file/d/${ID}/view`,
    `https://drive.google.com/drive/folders/${ID}`,
    `https://drive.google.com/drive/u/0/folders/${ID}?resourcekey=0-x`,
    `https://drive.google.com/open?id=${ID}`,
    `https://drive.google.com/open?usp=drive_fs&id=${ID}&x=y`,
    `https://drive.google.com/uc?export=download&id=${ID}`,
    `https://docs.google.com/document/d/${ID}/edit#heading=h.x`,
    `https://docs.google.com/document/u/2/d/${ID}/edit`,
    `https://docs.google.com/spreadsheets/d/${ID}/edit#gid=0`,
    `https://docs.google.com/presentation/d/${ID}`,
    `https://docs.google.com/document/d/e${ID}/edit`,
    `https://drive.google.com/open?id=${ID}&continue=/document/d/e/`,
  ]) {
    it(`finds the id in ${url} with the Google preset only`, () => {
      const id = url.includes(`e${ID}`) ? `e${ID}` : ID;
      parse(url).should.equal(id);
      parse({ id: url }).should.equal(id);
      parse(url, { kind: 'folder' }).should.equal(id);
      problem(url, { can: CAPABILITIES.custom }).should.equal('invalid_input_file_shape');
    });
  }

  for (const url of [
    `https://drive.google.com.evil.example/file/d/${ID}`,
    `http://drive.google.com/file/d/${ID}`,
    `https://example.org/file/d/${ID}`,
    'https://drive.google.com/drive/my-drive',
    'https://drive.google.com/',
  ]) {
    it(`finds no id in ${url}`, () => {
      problem(url).should.equal('invalid_input_file_shape');
    });
  }

  for (const url of [
    'https://docs.google.com/document/d/e/2PACX-1vT/pub',
    'https://docs.google.com/document/u/1/d/e/2PACX-1vT/pub?embedded=true',
    'https://docs.google.com/a/example.org/spreadsheets/d/e/2PACX-1vT/pubhtml',
    'https://docs.google.com/presentation/d/e/2PACX-1vT/embed',
    'https://docs.google.com/forms/d/e/1FAIpQLS/viewform',
    'https://docs.google.com/drawings/d/e/2PACX-1vT/pub',
    'https://docs.google.com/document/d/e',
  ]) {
    it(`rejects ${url}, which contains no file id`, () => {
      problem(url).should.equal('invalid_input_published_url');
      problem({ id: url }).should.equal('invalid_input_published_url');
      problem(url, { kind: 'folder' }).should.equal('invalid_input_published_url');
    });
  }

  it('accepts any other characters in an id', () => {
    for (const each of ['0', 'root', 'a b', 'é', "o'b", 'a\\b', '?#%2F']) parse(each).should.equal(each);
  });

  it("accepts '' for a folder only", () => {
    parse('', { kind: 'folder' }).should.equal('');
    problem({ folderId: '' }, { kind: 'folder' }).should.equal('invalid_input_folder_empty');
    problem('').should.equal('invalid_input_file_empty');
    problem(' ', { kind: 'folder' }).should.equal('invalid_input_folder_empty');
  });

  it('distinguishes paths from ids', () => {
    parse('/backups/a.tar').should.equal('/backups/a.tar');
    isPath('/backups/a.tar').should.equal(true);
    isPath('backups').should.equal(false);
    problem('backups/a.tar', { kind: 'folder' }).should.equal('invalid_input_folder_shape');
  });

  it('rejects a lone surrogate, which a URL cannot contain', () => {
    problem('a\ud83d').should.equal('invalid_input_file_shape');
    parse('a\ud83d\ude00').should.equal('a\ud83d\ude00');
  });

  for (const [value, came] of [
    ['backups/a.tar', "'backups/a.tar'"],
    [{ id: 'Backups/2026' }, "'Backups/2026'"],
    ['..', "'..'"],
    ['https://example.org/?token=canary', "'https://example.org/…'"],
    [{ id: 'https://canary@example.org/' }, "'https://example.org/…'"],
    ['ftp://example.org/canary', 'string'],
    [{ id: 'a/b?key=canary' }, '{id}'],
    ['access_token=canary/1', 'string'],
    ['a/b?canary', 'string'],
    ['a note/with canary', 'string'],
    ['canary/'.repeat(6), 'string'],
    ['1//canary', 'string'],
    [['canary/1', 'canary/2'], 'array[2]'],
    [' ', 'string'],
  ] as const) {
    it(`quotes ${JSON.stringify(value)} as ${came}, because only a path or a host is not private`, () => {
      should(() => parse(value)).throw({ params: { property: 'file', source: 'msg.payload', came } });
    });
  }

  it('summarizes the value in errors without its content', () => {
    const input: IdOrPathInput = {
      property: 'file',
      source: 'msg.payload',
      kind: 'file',
      can: CAPABILITIES.custom,
      value: { secret: 'canary', a: 1, b: 2, c: 3, d: 4, e: 5 },
    };
    should(() => parseIdOrPath(input)).throw(/came=\{secret, a, b, c, d\}/);
    should(() => parseIdOrPath(input)).not.throw(/canary/);
  });
});

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
