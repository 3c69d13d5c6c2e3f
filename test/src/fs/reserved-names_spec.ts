/** Names that only this package creates. */
import 'should';
import { PROBE_PREFIX, currentOwner } from '../../../src/fs/part-owner';
import { mkdtemp } from 'node:fs/promises';
import { basename } from 'node:path';
import { claimOptions } from '../../../src/backup/restore/interrupted-swaps';
import { WorkFolder } from '../../../src/backup/restore/work-folder';
import {
  newPartName,
  SYNC_PROBE_PREFIX,
  hasReservedName,
  isReservedName,
  parsePartName,
  targetInPartName,
} from '../../../src/fs/reserved-names';
import { FakeClock } from '../../support/clock';
import { useDisk } from '../../support/disk';
import fc from 'fast-check';
import should from 'should';
import { safeName } from '../../../src/fs/safe-name';
import { partKey } from '../../../src/transfer/download/download-file';
import { checkProperty } from '../../support/property';

describe('reserved names', () => {
  const path = useDisk();

  it('The names of work folders, part files and probes are reserved, in any case and with dots at the end', async () => {
    const options = claimOptions({ clock: new FakeClock(), records: new Map() }, path('target'), {});
    const work = await WorkFolder.open(path('target'), () => Promise.resolve(), options);
    const probe = await mkdtemp(path(PROBE_PREFIX));
    const syncProbe = await mkdtemp(path(SYNC_PROBE_PREFIX));
    const names = [work.path, probe, syncProbe, newPartName('a\nb', undefined)].map((each) => basename(each));
    await work.remove();
    names.push('.a.0123456789abcdef.4321-01234567.part', '.cloud-drive-restores');
    names.push('.cloud-drive-restores.flows.json.new');
    for (const name of names) {
      for (const each of [name, name.toUpperCase(), `${name}. .`]) isReservedName(each).should.be.true(each);
      hasReservedName(`home/${name}/file`).should.be.true(name);
    }
  });

  it('Names that some disks take for reserved ones are reserved, too', () => {
    // The long s is an s without case, and a zero-width space has no meaning.
    for (const name of [
      '.cloud-drive-re\u017ftores',
      '.cloud-drive-rest\u200bores',
      '.sync\u00ad-probe-a1b2c3',
    ])
      isReservedName(name).should.be.true(JSON.stringify(name));
  });

  for (const name of [
    '.restore-probe-',
    '.sync-probe-notes-1',
    '.a.restore-1',
    'a.part',
    '.a.part',
    '.restore-notes',
    'home/a.txt',
  ])
    it(`The name ${name} isn’t reserved`, () => hasReservedName(name).should.be.false());
});

describe('part names', () => {
  const file = { id: 'F', md5Checksum: 'a', sha256Checksum: 'b' };
  const remote = { file, hasMetadata: true, size: 5, algorithm: 'sha256' } as const;

  it('part file names have at most 143 bytes, the limit of eCryptfs, and contain the target, the content key and the owner, for any target', () => {
    const check = (given: string): void => {
      const name = safeName(given);
      const part = newPartName(name, partKey(name, remote));
      Buffer.byteLength(part).should.be.belowOrEqual(143);
      part.should.not.match(/[/\\]/);
      should(parsePartName(part)).deepEqual({
        target: targetInPartName(name),
        contentKey: partKey(name, remote),
        owner: currentOwner(),
      });
      should(newPartName(name, undefined)).not.equal(newPartName(name, undefined));
    };
    checkProperty(fc.property(fc.string({ unit: 'binary', maxLength: 400 }), check));
    for (const name of ['x'.repeat(255), '文'.repeat(85), `${'x'.repeat(223)}.${'y'.repeat(31)}`])
      check(name);
  });

  it('part file names tell long targets apart that begin and end in the same way', () => {
    const [one, two] = [1, 2].map((part) =>
      targetInPartName(`${'The choir in the old town hall, '.repeat(3)}${part}.mp4`),
    );
    should(one).not.equal(two);
  });

  it('part file names of earlier versions are understood; they have no owner', () => {
    for (const [target, name] of [
      ['out.tar', 'out.tar'],
      ['x'.repeat(180), 'x'.repeat(180)],
    ] as const) {
      should(parsePartName(`.${target}.0123456789abcdef.12-89abcdef.part`)).deepEqual({
        target: targetInPartName(name),
        contentKey: '0123456789abcdef',
        owner: undefined,
      });
    }
  });

  it('part file names are not recognized in other files', () => {
    for (const name of ['out', '.out.part', '.out.0123456789abcdef.part', '.out.0123456789abcdef.12.part~']) {
      should(parsePartName(name)).be.undefined();
    }
  });
});
