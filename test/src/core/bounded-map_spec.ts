import 'should';
import { BoundedMap } from '../../../src/core/bounded-map';

describe('BoundedMap', () => {
  it('BoundedMap removes the oldest entry when it is full', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('c', 3);
    [...map].should.eql([
      ['b', 2],
      ['c', 3],
    ]);
  });

  it('BoundedMap makes an entry the newest when it is set again', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
    [...map].should.eql([
      ['a', 3],
      ['c', 4],
    ]);
  });
});
