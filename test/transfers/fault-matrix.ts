/** Every fault through every way of a transfer at every size, as tests that print what they saw as a table. */
import { type TransferRun, downloadRun, uploadRun } from './run-transfer';
import { DOWNLOAD_FAULTS } from './download-faults';
import type { OpenRunner } from './runners';
import type { FaultCase } from './fault-case';
import { TransferEnv } from './transfer-env';
import { LEGEND, ResultTable } from './result-table';
import { UPLOAD_FAULTS } from './upload-faults';

interface TransferKind {
  name: string;
  cases: readonly FaultCase[];
  run: TransferRun;
}

const TRANSFER_KINDS: readonly TransferKind[] = [
  { name: 'upload of a file', cases: UPLOAD_FAULTS, run: uploadRun('disk') },
  { name: 'upload of a Buffer', cases: UPLOAD_FAULTS, run: uploadRun('buffer') },
  { name: 'download to a file', cases: DOWNLOAD_FAULTS, run: downloadRun('disk') },
  { name: 'download to a Buffer', cases: DOWNLOAD_FAULTS, run: downloadRun('memory') },
];

interface MatrixOptions {
  sizes: readonly number[];
  /** The rows to try; all if absent. */
  includes?: (row: FaultCase) => boolean;
  open: OpenRunner;
}

export function testFaultMatrix({ sizes, includes = () => true, open }: MatrixOptions): void {
  let stage: TransferEnv;
  before(async () => {
    stage = await TransferEnv.open();
    process.stdout.write(`${LEGEND}\n`);
  });
  after(() => stage.close());

  for (const { name, cases, run } of TRANSFER_KINDS) {
    describe(name, () => {
      const table = new ResultTable(name, sizes);
      after(() => void process.stdout.write(`\n${table.toString()}\n\n`));

      for (const row of cases.filter(includes)) {
        const fitting = sizes.filter((size) => row.appliesTo(size));
        if (fitting.length === 0) continue;
        it(row.name, async function () {
          this.timeout(120_000);
          const wrong: string[] = [];
          for (const size of fitting) {
            const performer = await open(stage);
            const outcome = await run({ stage, performer }, row, size);
            await performer.close();
            table.add(row, size, outcome);
            wrong.push(...outcome.problems.map((problem) => `${size} bytes: ${problem}`));
          }
          if (wrong.length > 0) throw new Error(wrong.join('\n'));
        });
      }
    });
  }
}
