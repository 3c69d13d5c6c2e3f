/** `Content-Range` (RFC 9110 14.4), and `Range` as resumable uploads use it. */
import should from 'should';
import {
  contentRange,
  parseContentRange,
  parseStoredRange,
  statusRange,
} from '../../../src/transfer/content-range';

describe('content-range', () => {
  it('contentRange and statusRange format the headers of requests', () => {
    contentRange({ start: 0, end: 10, total: 10 }).should.equal('bytes 0-9/10');
    contentRange({ start: 262_144, end: 524_288 }).should.equal('bytes 262144-524287/*');
    statusRange(7).should.equal('bytes */7');
  });

  it('parseContentRange reads the Content-Range of a response', () => {
    should(parseContentRange('bytes 5-9/10')).deepEqual({ start: 5, end: 10, total: 10 });
    should(parseContentRange(' Bytes  0-0/* ')).deepEqual({ start: 0, end: 1 });
    should(parseContentRange('bytes 262144-524287/*')).deepEqual({ start: 262_144, end: 524_288 });
  });

  for (const header of [
    undefined,
    '',
    'bytes */10',
    'bytes 5-4/10',
    'bytes 0-10/10',
    'items 0-1/2',
    'bytes -1-2/3',
    'x bytes 0-1/2',
    'bytes 0-1/2, 3-4/5',
  ]) {
    it(`parseContentRange rejects ${header === undefined ? 'a missing header' : `"${header}"`}`, () =>
      should(parseContentRange(header)).be.undefined());
  }

  it('parseStoredRange reads the number of stored bytes', () => {
    should(parseStoredRange(undefined)).equal(0);
    should(parseStoredRange('bytes=0-0')).equal(1);
    should(parseStoredRange('bytes=0-262143')).equal(262_144);
    should(parseStoredRange('bytes 0-5')).equal(6);
    should(parseStoredRange(' bytes= 0-5 ')).equal(6);
    for (const header of [
      '',
      'bytes=1-5',
      'bytes=10-15',
      'bytes=0-',
      'bytes=0-5,7-9',
      'x',
      'kilobytes=0-5',
    ]) {
      should(parseStoredRange(header)).be.undefined();
    }
  });
});
