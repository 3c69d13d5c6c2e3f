/** Lists of fields. https://developers.google.com/workspace/drive/api/guides/performance#partial */
import { projectFields, splitFields, withFields } from '../../../src/drive/fields';

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
