/** Ids, objects and addresses of a browser as a file or folder: docs/nodes.md, "What goes in". */
import should from 'should';
import { isDriveError } from '../../../src/index';
import { type IdOrPathInput, parseIdOrPath, isPath } from '../../../nodes/shared/runtime/id-or-path';

const id = (value: unknown, more: Partial<IdOrPathInput> = {}): string =>
  parseIdOrPath({ property: 'file', source: 'msg.payload', kind: 'file', service: 'google', value, ...more });

/** The text of the refusal. */
function refusal(value: unknown, more: Partial<IdOrPathInput> = {}): string {
  try {
    id(value, more);
  } catch (error) {
    if (isDriveError(error, 'invalid_input')) return error.text;
    throw error;
  }
  throw new Error('not refused');
}

describe('an id', () => {
  const ID = '1a-B_2c';

  for (const address of [
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
  ]) {
    it(`is found in ${address} with the Google preset only`, () => {
      id(address).should.equal(ID);
      id({ id: address }).should.equal(ID);
      id(address, { kind: 'folder' }).should.equal(ID);
      refusal(address, { service: 'custom' }).should.equal('invalid_input_file_shape');
    });
  }

  for (const address of [
    `https://drive.google.com.evil.example/file/d/${ID}`,
    `http://drive.google.com/file/d/${ID}`,
    `https://example.org/file/d/${ID}`,
    'https://drive.google.com/drive/my-drive',
    'https://drive.google.com/',
  ]) {
    it(`is not found in ${address}`, () => {
      refusal(address).should.equal('invalid_input_file_shape');
    });
  }

  it('is taken as it is, whatever else is in it', () => {
    for (const each of ['0', 'root', 'a b', 'é', "o'b", 'a\\b', '?#%2F']) id(each).should.equal(each);
  });

  it("that is '' is an id of a folder only", () => {
    id('', { kind: 'folder' }).should.equal('');
    refusal({ folderId: '' }, { kind: 'folder' }).should.equal('invalid_input_folder_empty');
    refusal('').should.equal('invalid_input_file_empty');
    refusal(' ', { kind: 'folder' }).should.equal('invalid_input_folder_empty');
  });

  it('is told apart from a path', () => {
    id('/backups/a.tar').should.equal('/backups/a.tar');
    isPath('/backups/a.tar').should.equal(true);
    isPath('backups').should.equal(false);
    refusal('backups/a.tar', { kind: 'folder' }).should.equal('invalid_input_folder_shape');
  });

  it('is no half of a character, which no address can hold', () => {
    refusal('a\ud83d').should.equal('invalid_input_file_shape');
    id('a\ud83d\ude00').should.equal('a\ud83d\ude00');
  });

  it('never shows what is in a message, only its kind', () => {
    const given: IdOrPathInput = {
      property: 'file',
      source: 'msg.payload',
      kind: 'file',
      service: 'custom',
      value: { secret: 'canary', a: 1, b: 2, c: 3, d: 4, e: 5 },
    };
    should(() => parseIdOrPath(given)).throw(/came=\{secret, a, b, c, d\}/);
    should(() => parseIdOrPath(given)).not.throw(/canary/);
  });
});
