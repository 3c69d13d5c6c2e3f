import should from 'should';
import { formatTime, parseTime } from '../../../../src/backup/restic/json-file';

describe('Times in repositories', () => {
  const times: Record<string, bigint> = {
    '1970-01-01T00:00:00Z': 0n,
    '1970-01-01T00:00:00.000000001Z': 1n,
    '1969-12-31T23:59:59.999999999Z': -1n,
    '2026-11-25T22:30:00.12Z': 1795645800120000000n,
    '0000-01-01T00:00:00Z': -62167219200000000000n,
  };
  for (const [text, time] of Object.entries(times)) {
    it(`are read and written as ${text}`, () => {
      should(parseTime(text)).equal(time);
      formatTime(time).should.equal(text);
    });
  }

  it('may have a time zone', () => {
    should(parseTime('2014-12-06T17:50:23.34513538+01:00')).equal(parseTime('2014-12-06T16:50:23.34513538Z'));
  });

  it('are the nearest one that can be written', () => {
    formatTime(10n ** 30n).should.equal('9999-12-31T23:59:59Z');
    formatTime(-(10n ** 30n)).should.equal('0000-01-01T00:00:00Z');
  });

  it('are refused in any other form', () => {
    for (const text of [
      '',
      'now',
      '2026-13-01T00:00:00Z',
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-01-01T00:00:00.1234567891Z',
    ]) {
      should(parseTime(text)).be.undefined();
    }
  });
});
