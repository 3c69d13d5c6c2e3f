/**
 * File system errors by code.
 * https://nodejs.org/api/errors.html#common-system-errors
 */
import should from 'should';
import { cancelled } from '../../../src/errors';
import { localFileError } from '../../../src/fs/local-file-error';

describe('localFileError', () => {
  for (const [code, text] of [
    ['ENOENT', 'local_file_missing'],
    ['EACCES', 'local_file_denied'],
    ['EPERM', 'local_file_denied'],
    ['ENOSPC', 'local_file_full'],
    ['EDQUOT', 'local_file_full'],
    ['EFBIG', 'local_file_too_large'],
    ['EROFS', 'local_file_read_only'],
    ['EISDIR', 'local_file_is_folder'],
    ['ENOTDIR', 'local_file_not_folder'],
    ['ENAMETOOLONG', 'local_file_name_too_long'],
    ['EIO', 'local_file'],
    ['constructor', 'local_file'],
  ] as const) {
    it(`localFileError maps ${code} to ${text}`, () => {
      const error = localFileError(Object.assign(new Error('x'), { code }), '/a');
      error.code.should.equal('local_file');
      error.text.should.equal(text);
      should(error.params).deepEqual({ path: '/a', reason: code });
    });
  }

  it('localFileError returns coded errors and throws other errors unchanged', () => {
    const coded = cancelled();
    localFileError(coded, '/a').should.equal(coded);
    (() => localFileError(new TypeError('mistake'), '/a')).should.throw(TypeError);
  });
});
