/** Lists of fields. https://developers.google.com/workspace/drive/api/guides/performance#partial */
import { projectFields, splitFields, withFields, withOptionalFields } from '../../../src/drive/fields';
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { DriveError, isDriveError } from '../../../src/errors';
import { createDriveContext } from '../../support/client/drive-context';

describe('fields', () => {
  it('splitFields splits at the outer commas', () => {
    splitFields(' id, owners(displayName,me) ,a/b,').should.deepEqual([
      'id',
      'owners(displayName,me)',
      'a/b',
    ]);
    splitFields('').should.deepEqual([]);
  });

  it('withFields adds the required fields once', () => {
    withFields('id,name', ['name', 'size']).should.equal('id,name,size');
    withFields('', ['id']).should.equal('id');
    withFields('*', ['id']).should.equal('*');
    withFields('id,*', ['size']).should.equal('*');
  });

  it('projectFields removes the fields that the user did not request', () => {
    const file = { id: 'F', name: 'n', size: '1', owners: [{ me: true }] };
    projectFields(file, 'id,owners(me)').should.deepEqual({ id: 'F', owners: [{ me: true }] });
    projectFields(file, 'id,owners/me').should.deepEqual({ id: 'F', owners: [{ me: true }] });
    projectFields(file, '*').should.deepEqual(file);
  });
});

const context = (kind: keyof typeof CAPABILITIES) =>
  createDriveContext('http://127.0.0.1', { can: CAPABILITIES[kind] });

describe('withOptionalFields', () => {
  let sent: string[];
  beforeEach(() => (sent = []));

  const refuse =
    (status: number, always = false) =>
    (fields: string): Promise<string> => {
      sent.push(fields);
      const isRefused = always || fields.includes('webViewLink');
      return isRefused ? Promise.reject(new DriveError('bad_response', { status })) : Promise.resolve(fields);
    };

  it('a custom service that refuses webViewLink is asked again without it, and only once', async () => {
    const custom = context('custom');
    should(await withOptionalFields(custom, 'id,webViewLink', refuse(400))).equal('id');
    should(await withOptionalFields(custom, 'name,webViewLink', refuse(400))).equal('name');
    sent.should.deepEqual(['id,webViewLink', 'id', 'name']);
  });

  it('other errors, other fields and Google Drive cause no second request', async () => {
    const cases = [
      [context('custom'), 'id,webViewLink', 404],
      [context('custom'), 'id', 400],
      [context('google'), 'id,webViewLink', 400],
    ] as const;
    for (const [each, fields, status] of cases) {
      const error: unknown = await withOptionalFields(each, fields, refuse(status, true)).catch(
        (thrown: unknown) => thrown,
      );
      should(isDriveError(error) && error.status).equal(status);
    }
    sent.should.have.length(3);
  });

  it('an error of another cause is not remembered as a refusal', async () => {
    const custom = context('custom');
    await withOptionalFields(custom, 'id,webViewLink', refuse(400, true)).should.be.rejected();
    sent.length = 0;
    await withOptionalFields(custom, 'id,webViewLink', refuse(400));
    sent.should.deepEqual(['id,webViewLink', 'id']);
  });
});
