/** Names that only this package creates. */
import 'should';
import { PROBE_PREFIX } from '../../../src/fs/part-owner';
import { mkdtemp } from 'node:fs/promises';
import { basename } from 'node:path';
import { claimOptions } from '../../../src/backup/restore/interrupted-swaps';
import { WorkFolder } from '../../../src/backup/restore/work-folder';
import {
  newPartName,
  SYNC_PROBE_PREFIX,
  hasReservedName,
  isReservedName,
} from '../../../src/fs/reserved-names';
import { FakeClock } from '../../support/clock';
import { useDisk } from '../../support/disk';

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
