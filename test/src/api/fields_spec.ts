/** Lists of fields. https://developers.google.com/workspace/drive/api/guides/performance#partial */
import { projectFields, splitFields, withFields } from '../../../src/api/fields';

describe('fields', () => {
  it('are split at their outer commas', () => {
    splitFields(' id, owners(displayName,me) ,a/b,').should.deepEqual([
      'id',
      'owners(displayName,me)',
      'a/b',
    ]);
    splitFields('').should.deepEqual([]);
  });

  it('get what is needed besides, once', () => {
    withFields('id,name', ['name', 'size']).should.equal('id,name,size');
    withFields('', ['id']).should.equal('id');
    withFields('*', ['id']).should.equal('*');
    withFields('id,*', ['size']).should.equal('*');
  });

  it('lose it again', () => {
    const file = { id: 'F', name: 'n', size: '1', owners: [{ me: true }] };
    projectFields(file, 'id,owners(me)').should.deepEqual({ id: 'F', owners: [{ me: true }] });
    projectFields(file, 'id,owners/me').should.deepEqual({ id: 'F', owners: [{ me: true }] });
    projectFields(file, '*').should.deepEqual(file);
  });
});
