/** Field masks. https://developers.google.com/workspace/drive/api/guides/performance#partial */
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

describe('local drive: field masks', () => {
  it('a field mask selects fields of a list and of its items', () => {
    (masked('nextPageToken,files(id,name)') as object).should.deepEqual({
      nextPageToken: 't',
      files: [{ id: '1', name: 'a' }],
    });
  });

  it('/ and parentheses select subfields', () => {
    const expected = { files: [{ id: '1', owners: [{ emailAddress: 'e' }] }] };
    (masked('files(id,owners/emailAddress)') as object).should.deepEqual(expected);
    (masked('files(id,owners(emailAddress))') as object).should.deepEqual(expected);
    (masked('files/id,files/owners/emailAddress') as object).should.deepEqual(expected);
  });

  it('* selects all fields at its level', () => {
    (masked('*') as object).should.deepEqual(LIST);
    (masked('files(*)') as object).should.deepEqual({ files: LIST.files });
    (masked('files/*') as object).should.deepEqual({ files: LIST.files });
    (masked('files(*),kind,files(id)') as object).should.deepEqual({ kind: LIST.kind, files: LIST.files });
  });

  it('a field mask selects keys of a map', () => {
    (masked('files/properties/x') as object).should.deepEqual({ files: [{ properties: { x: 'y' } }] });
  });

  it('fields that the resource lacks are left out', () => {
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
    it(`the field mask ${JSON.stringify(wrong)} is rejected`, () => {
      const schema = wrong === 'id/x' ? FILE : FILE_LIST;
      (() => parseMask(wrong, schema)).should.throw(ApiError, { status: 400, reason: 'invalidParameter' });
    });
  }
});
