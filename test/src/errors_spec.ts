/** The message and the code of an error. */
import should from 'should';
import { DriveError, LocalTime, isDriveError } from '../../src/errors';

describe('errors', () => {
  it('DriveError has a message for developers, made of the text key and parameters', () => {
    const error = new DriveError('conflict', { text: 'conflict_exists', params: { name: 'n', ids: 'a, b' } });
    error.message.should.equal('conflict_exists name=n ids=a, b');
    error.retryable.should.be.false();
    isDriveError(error, 'conflict').should.be.true();
    isDriveError(error, 'network').should.be.false();
    isDriveError(new Error('x')).should.be.false();
  });

  it('a time in an error is that of this machine, with its time zone', () => {
    const before = process.env['TZ'];
    const shown = (timeZone: string, time = Date.parse('2026-11-22T01:30:59Z')): string => {
      process.env['TZ'] = timeZone;
      return String(new LocalTime(time));
    };
    try {
      should(shown('UTC')).equal('2026-11-22 01:30 UTC');
      should(shown('Europe/Berlin')).equal('2026-11-22 02:30 UTC+1');
      should(shown('America/St_Johns')).equal('2026-11-21 22:00 UTC-3:30');
      should(shown('UTC', -1.5)).equal('1969-12-31 23:59 UTC');
      should(shown('Asia/Tokyo', 8.64e15)).equal('+275760-09-13 00:00 UTC+9');
      should(shown('America/New_York', -8.64e15)).startWith('-271821-04-20 00:00 UTC-4:56');
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it('the compiler rejects wrong keys, and missing or superfluous parameters', () => {
    // @ts-expect-error: no such text
    new DriveError('conflict', { text: 'conflict_unknown' });
    // @ts-expect-error: no `ids`
    new DriveError('conflict', { text: 'conflict_exists', params: { name: 'n' } });
    // @ts-expect-error: the text has no `path`
    new DriveError('conflict', { text: 'conflict_exists', params: { name: 'n', ids: 'a', path: '/' } });
    // @ts-expect-error: the text has no parameters
    new DriveError('cancelled', { text: 'cancelled_look', params: { name: 'n' } });
    // @ts-expect-error: the text of the code needs parameters
    new DriveError('too_large');
  });
});
