import 'should';
import { selectSnapshot } from '../../../../src/backup/restic/select-snapshot';
import type { SnapshotChoice } from '../../../../src/backup/restic/snapshot-request';

const MS = 1_000_000n;
/** ms since 1970: more than a day after now. */
const DAY_AHEAD = 86_400_000n + 5_001n;

describe('selectSnapshot', () => {
  const base = { paths: ['/home'], username: 'root', tags: [] as string[], tree: 'f'.repeat(64) };
  const snapshots = [
    { ...base, id: `aa11${'0'.repeat(60)}`, time: 1_000n * MS, hostname: 'pi' },
    { ...base, id: `aa22${'0'.repeat(60)}`, time: 2_000n * MS, hostname: 'nas' },
    { ...base, id: `bb33${'0'.repeat(60)}`, time: 3_000n * MS, hostname: 'pi', paths: ['/etc'] },
    { ...base, id: `cc44${'0'.repeat(60)}`, time: 4_000n * MS, hostname: 'pi', tags: ['incomplete'] },
    { ...base, id: `dd55${'0'.repeat(60)}`, time: DAY_AHEAD * MS, hostname: 'pi' },
    { ...base, id: `ee66${'0'.repeat(60)}`, time: DAY_AHEAD * MS, hostname: 'wrong clock' },
  ];
  const choice = { which: 'newest', sources: 'own', host: 'pi', allowIncomplete: false } as const;
  const selected = (more: Partial<SnapshotChoice>): string =>
    selectSnapshot(snapshots, { ...choice, ...more }, { folder: 'Folder', now: 5_000 }).id.slice(0, 4);

  const cases: [string, Partial<SnapshotChoice>, string][] = [
    ['the newest complete one of this host that isn’t dated far ahead', {}, 'bb33'],
    ['one that is dated far ahead if there is no other', { host: 'wrong clock' }, 'ee66'],
    ['the newest of the same paths', { paths: ['/home'] }, 'aa11'],
    ['the newest of any host', { sources: 'any', paths: ['/home'] }, 'aa22'],
    ['an incomplete one if that is allowed', { allowIncomplete: true }, 'cc44'],
    ['the newest that is not after a time', { which: 'date', until: 2_999 }, 'aa11'],
    ['one of exactly that time', { which: 'date', until: 3_000 }, 'bb33'],
    ['one by the beginning of its ID', { which: 'id', id: 'aa2' }, 'aa22'],
    [
      'one by its whole ID, in capitals, although it is incomplete',
      { which: 'id', id: `CC44${'0'.repeat(60)}` },
      'cc44',
    ],
  ];
  for (const [title, more, expected] of cases) {
    it(`returns ${title}`, () => {
      selected(more).should.equal(expected);
    });
  }

  const failures: [string, Partial<SnapshotChoice>, object][] = [
    [
      'nothing is that old',
      { which: 'date', until: 999 },
      { code: 'not_found', text: 'not_found_snapshot_date' },
    ],
    ['the host has none', { host: 'x' }, { code: 'not_found', text: 'not_found_snapshot_host' }],
    [
      'there is none of the paths',
      { sources: 'any', paths: ['/x'] },
      { code: 'not_found', text: 'not_found_snapshot' },
    ],
    ['no ID begins so', { which: 'id', id: 'ff' }, { code: 'not_found', text: 'not_found_snapshot_id' }],
    ['the ID is empty', { which: 'id', id: ' ' }, { code: 'not_found', text: 'not_found_snapshot_id' }],
    ['several IDs begin so', { which: 'id', id: 'aa' }, { code: 'conflict', text: 'conflict_snapshot_id' }],
  ];
  for (const [title, more, expected] of failures) {
    it(`fails if ${title}`, () => {
      (() => selected(more)).should.throw(expected);
    });
  }
});
