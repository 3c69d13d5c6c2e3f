/** Fields masks. https://developers.google.com/workspace/drive/api/guides/performance#partial */
import 'should';
import { applyMask, parseMask } from '../api/field-mask';
import { FILE, FILE_LIST } from '../api/schemas';
import { ApiError } from '../http/api-error';

const LIST = {
  kind: 'drive#fileList',
  nextPageToken: 't',
  files: [{ id: '1', name: 'a', owners: [{ emailAddress: 'e', me: true }], properties: { x: 'y' } }],
};

function masked(fields: string): unknown {
  return applyMask(LIST, parseMask(fields, FILE_LIST));
}

describe('local drive: fields masks', () => {
  it('picks members of a list and of its items', () => {
    (masked('nextPageToken,files(id,name)') as object).should.deepEqual({
      nextPageToken: 't',
      files: [{ id: '1', name: 'a' }],
    });
  });

  it('goes into objects with / and with parentheses alike', () => {
    const expected = { files: [{ id: '1', owners: [{ emailAddress: 'e' }] }] };
    (masked('files(id,owners/emailAddress)') as object).should.deepEqual(expected);
    (masked('files(id,owners(emailAddress))') as object).should.deepEqual(expected);
    (masked('files/id,files/owners/emailAddress') as object).should.deepEqual(expected);
  });

  it('takes * for everything at its place', () => {
    (masked('*') as object).should.deepEqual(LIST);
    (masked('files(*)') as object).should.deepEqual({ files: LIST.files });
    (masked('files/*') as object).should.deepEqual({ files: LIST.files });
    (masked('files(*),kind,files(id)') as object).should.deepEqual({ kind: LIST.kind, files: LIST.files });
  });

  it('goes into maps whose keys nobody knows', () => {
    (masked('files/properties/x') as object).should.deepEqual({ files: [{ properties: { x: 'y' } }] });
  });

  it('leaves out what the resource does not carry', () => {
    (masked('incompleteSearch') as object).should.deepEqual({});
  });

  for (const wrong of [
    'nope',
    'files(nope)',
    'id/x',
    'files(id',
    'files)',
    '',
    ',',
    'files//id',
    'constructor',
  ]) {
    it(`refuses ${JSON.stringify(wrong)}`, () => {
      const schema = wrong === 'id/x' ? FILE : FILE_LIST;
      (() => parseMask(wrong, schema)).should.throw(ApiError, { status: 400, reason: 'invalidParameter' });
    });
  }
});
