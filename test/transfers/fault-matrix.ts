/** Tests of every fault, kind of transfer and file size. */
import { type TransferRun, downloadRun, uploadRun } from './run-transfer';
import { DOWNLOAD_FAULTS } from './download-faults';
import type { OpenRunner } from './runners';
import type { FaultCase } from './fault-case';
import { TransferEnv } from './transfer-env';
import { UPLOAD_FAULTS } from './upload-faults';

interface TransferKind {
  name: string;
  where: 'disk' | 'memory';
  cases: readonly FaultCase[];
  run: TransferRun;
}

const TRANSFER_KINDS: readonly TransferKind[] = [
  { name: 'uploads a file', where: 'disk', cases: UPLOAD_FAULTS, run: uploadRun('disk') },
  { name: 'uploads a Buffer', where: 'memory', cases: UPLOAD_FAULTS, run: uploadRun('memory') },
  { name: 'downloads to a file', where: 'disk', cases: DOWNLOAD_FAULTS, run: downloadRun('disk') },
  { name: 'downloads to a Buffer', where: 'memory', cases: DOWNLOAD_FAULTS, run: downloadRun('memory') },
];

interface MatrixOptions {
  sizes: readonly number[];
  /** Selects the cases; all by default. */
  includes?: (faultCase: FaultCase, kind: TransferKind) => boolean;
  open: OpenRunner;
}

export function testFaultMatrix({ sizes, includes = () => true, open }: MatrixOptions): void {
  let env: TransferEnv;
  before(async () => {
    env = await TransferEnv.open();
  });
  after(() => env.close());

  for (const kind of TRANSFER_KINDS) {
    const { name, cases, run } = kind;
    describe(name, () => {
      for (const faultCase of cases.filter((each) => includes(each, kind))) {
        const applicable = sizes.filter((size) => faultCase.appliesTo(size));
        if (applicable.length === 0) continue;
        it(`${name} despite: ${faultCase.name}`, async () => {
          const problems: string[] = [];
          for (const size of applicable) {
            const runner = await open(env);
            const found = await run({ env, runner }, faultCase, size);
            await runner.close();
            problems.push(...found.map((problem) => `${size} bytes: ${problem}`));
          }
          if (problems.length > 0) throw new Error(problems.join('\n'));
        });
      }
    });
  }
}
