import 'should';
import { randomBytes } from 'node:crypto';
import { BlobIndex } from '../../../../src/backup/restic/blob-index';
import { RepositoryCheck } from '../../../../src/backup/restic/check-repository';
import { damagedFile } from '../../../../src/backup/restic/json-file';
import type { TreeReader } from '../../../../src/backup/restic/read-snapshot';

const DAY = 86_400_000;

describe('RepositoryCheck', () => {
  const hex = (): string => randomBytes(32).toString('hex');

  for (const percent of [1, 7, 10, 33, 100]) {
    it(`reads every pack within the days that ${percent} % take, and no pack on each of them`, async () => {
      const index = new BlobIndex();
      for (let pack = 0; pack < 500; pack++)
        index.add({ id: hex(), isTree: false, offset: 0, length: 100 }, hex());
      const read = new Map(index.packs.map((pack) => [pack, 0]));
      const store = {
        load: (_type: string, pack: string, _range: object, attempt: number): Promise<Buffer> => {
          if (attempt === 0) read.set(pack, (read.get(pack) ?? 0) + 1);
          return Promise.reject(damagedFile(pack, 'missing'));
        },
        stat: () => Promise.resolve(1),
      };
      const reader = { index, repository: { store, damaged: new Set() } } as unknown as TreeReader;
      const days = Math.ceil(100 / percent);
      for (let day = 0; day < days; day++) {
        const check = new RepositoryCheck(reader, () => undefined);
        await check.readPacks(percent, (20_000 + day) * DAY + 1);
      }
      const counts = [...read.values()];
      Math.min(...counts).should.equal(1);
      Math.max(...counts).should.be.belowOrEqual(2);
    });
  }
});
