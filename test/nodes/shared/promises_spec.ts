/** Promises in messages, and objects that JSON.stringify accepts although they are circular. */
import 'should';
import { containsPromise } from '../../../nodes/shared/runtime/promises';

describe('promises in objects', () => {
  it('a promise is found in objects and arrays', () => {
    containsPromise({ rows: [{ value: Promise.resolve(1) }] }).should.be.true();
    containsPromise({ rows: [{ value: 1 }, null, new Date(0), Buffer.from('a')] }).should.be.false();
  });

  it('an object that says itself what its JSON is may be circular', () => {
    const parent: Record<string, unknown> = { toJSON: () => 'parent' };
    parent['children'] = [{ parent }];
    JSON.stringify({ parent }).should.equal('{"parent":"parent"}');
    containsPromise({ parent }).should.be.false();
  });
});
