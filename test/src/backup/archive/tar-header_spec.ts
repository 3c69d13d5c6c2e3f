/** Values that a ustar header can't express: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html */
import type { BigIntStats } from 'node:fs';
import 'should';
import type { OpenedEntry } from '../../../../src/backup/entries/source-entry';
import { BLOCK, tarHeader } from '../../../../src/backup/archive/tar-header';

interface Entry {
  path?: string;
  type?: OpenedEntry['type'];
  stats?: Partial<BigIntStats>;
}

function header({ path = 'a', type = 'file', stats = {} }: Entry): Buffer {
  const all = { mode: 0o100644n, uid: 0n, gid: 0n, size: 0n, mtimeNs: 0n, ...stats } as BigIntStats;
  return tarHeader({ path, type, stats: all });
}

/** @returns the records of the extended header; none without one */
function records(entry: Entry): string[] {
  const bytes = header(entry);
  const text = bytes.toString('utf8', BLOCK, Math.max(BLOCK, bytes.length - BLOCK)).replace(/\0+$/, '');
  return text.split('\n').flatMap((line) => (line === '' ? [] : line.replace(/^\d+ /, '')));
}

/** A field of the last header. */
function field(entry: Entry, [start, end]: [number, number]): string {
  return header(entry).subarray(-BLOCK).toString('latin1', start, end).replace(/\0.*$/s, '');
}

describe('tar headers', () => {
  it('an entry that ustar can express has no extended header', () => {
    header({ stats: { uid: 2_097_151n, gid: 2_097_151n, size: 8_589_934_591n } }).length.should.equal(BLOCK);
  });

  it('a user, a group and a size that are too large for ustar are in an extended header', () => {
    const entry = { stats: { uid: 2_097_152n, gid: 4_294_967_294n, size: 8_589_934_592n } };
    records(entry).should.eql(['uid=2097152', 'gid=4294967294', 'size=8589934592']);
    field(entry, [108, 116]).should.equal('7777777');
    field(entry, [124, 136]).should.equal('77777777777');
  });

  const times: [nanoseconds: bigint, mtime: string][] = [
    [1_500_000_000n, '1.5'],
    [-250_000_000n, '-0.25'],
    [-1_250_000_000n, '-1.25'],
    [-1_000_000_000n, '-1'],
    [-1n, '-0.000000001'],
    [8_589_934_592_000_000_000n, '8589934592'],
  ];
  for (const [mtimeNs, mtime] of times) {
    it(`a file modified ${mtimeNs} ns after 1970 has the time ${mtime}`, () => {
      records({ stats: { mtimeNs } }).should.eql([`mtime=${mtime}`]);
    });
  }

  it('a long path is split at a slash if both parts fit, and otherwise in an extended header', () => {
    const split = { path: `${'p'.repeat(155)}/${'n'.repeat(100)}` };
    records(split).should.eql([]);
    field(split, [0, 100]).should.equal('n'.repeat(100));
    field(split, [345, 500]).should.equal('p'.repeat(155));
    for (const path of [`${'p'.repeat(156)}/n`, 'n'.repeat(101), `p/${'n'.repeat(101)}`]) {
      records({ path }).should.eql([`path=${path}`]);
    }
    records({ path: 'd'.repeat(100), type: 'directory' }).should.eql([`path=${'d'.repeat(100)}/`]);
  });

  it('a path of several kilobytes is complete, also before a short one', () => {
    const path = 'deep/'.repeat(2_000);
    records({ path }).should.eql([`path=${path}`]);
    header({}).length.should.equal(BLOCK);
  });
});
