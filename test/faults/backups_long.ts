/** Backups under random faults: exactly one good archive, or an error with a code and none. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import 'should';
import { Calendar, DriveError } from '../../src/index';
import type { Fault, RecordedRequest } from '../local-drive';
import { driveFixture } from '../support/client/drive-fixture';
import { bytes } from '../support/content';
import { useDisk } from '../support/disk';
import { Random } from '../support/random';

/** Set by campaign.ts. */
const ROUNDS = Number(process.env['BACKUP_ROUNDS'] ?? 60);
const FIRST_SEED = Number(process.env['BACKUP_SEED'] ?? 1);
/** Fewer may have only one result. */
const MEANINGFUL = 20;
const MIB = 1024 * 1024;

const FAULTS: readonly ((random: Random) => Fault)[] = [
  () => ({ kind: 'error', reason: 'backendError', status: 503 }),
  () => ({ kind: 'error', reason: 'internalError', status: 500 }),
  () => ({ kind: 'reset' }),
  (random) => ({ kind: 'resetRequest', bytes: random.between(0, 8 * MIB) }),
  () => ({ kind: 'lostResponse' }),
  (random) => ({ kind: 'partiallyStored', bytes: 256 * 1024 * random.between(0, 31) }),
  () => ({ kind: 'omitRange' }),
  () => ({ kind: 'sessionGone', status: 410 }),
  () => ({ kind: 'sessionGone', status: 404 }),
  (random) => ({ kind: 'corruptStored', at: random.between(0, 8 * MIB) }),
  () => ({ kind: 'error', reason: 'storageQuotaExceeded' }),
];

describe('backups under faults', () => {
  const fixture = driveFixture();
  const disk = useDisk();

  const isUpload = ({ method, path }: RecordedRequest): boolean => method === 'PUT' || /upload/.test(path);

  function addFaults(random: Random): string[] {
    return Array.from({ length: random.between(1, 4) }, () => {
      const fault = FAULTS[random.between(0, FAULTS.length - 1)]!(random);
      const [nth, times] = [random.between(1, 5), random.between(1, 3)];
      fixture.drive.faults.add({ ...fault, times, match: { when: isUpload, nth } });
      return `${JSON.stringify(fault)} from request ${nth}, ${times} times`;
    });
  }

  /** @returns the code of the error, if there is one */
  async function backUp(folderId: string): Promise<string | undefined> {
    const names = {
      targetName: '{name}-{number}',
      host: 'pi',
      fields: 'id,name',
      calendar: new Calendar('UTC'),
    };
    const options = { exclude: [], compression: 'none', temporaryFolder: disk() } as const;
    try {
      await fixture.client.backup({ ...names, ...options, sources: [disk('home')], folderId });
      return undefined;
    } catch (error) {
      if (error instanceof DriveError) return error.code;
      throw error;
    }
  }

  it(`${ROUNDS} backups with random faults leave exactly one good archive, or an error and none`, async function () {
    this.timeout(Math.max(600_000, ROUNDS * 10_000));
    const counts = new Map<string, number>();
    for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
      const random = new Random(seed);
      const folderId = await fixture.drive.files.addFolder(`Backups ${seed}`);
      await mkdir(disk('home'), { recursive: true });
      await writeFile(disk('home', 'file'), bytes(random.between(6, 20) * MIB + random.between(0, 1_000)));
      const faults = addFaults(random);
      const code = await backUp(folderId);
      fixture.drive.faults.clear();
      const archives = fixture.drive.files.in(folderId);
      const about = `seed ${seed}: ${code ?? 'no error'}, ${faults.join('; ')}`;
      archives.length.should.equal(code === undefined ? 1 : 0, about);
      for (const { id } of archives) {
        const content = await fixture.drive.files.contentOf(id);
        execFileSync('tar', ['--compare', '-C', disk()], { input: content, stdio: ['pipe', 'pipe', 'pipe'] });
      }
      counts.set(code ?? 'archive', (counts.get(code ?? 'archive') ?? 0) + 1);
    }
    if (ROUNDS < MEANINGFUL) return;
    (counts.get('archive') ?? 0).should.be.above(ROUNDS / 5, JSON.stringify([...counts]));
    counts.size.should.be.above(1);
  });
});
