/** Every fault through every way of a transfer at every size, as tests that print what they saw as a table. */
import { type Attempt, download, upload } from './attempt';
import { DOWNLOAD_ROWS } from './download-rows';
import type { OpenPerformer } from './performers';
import type { Row } from './row';
import { Stage } from './stage';
import { LEGEND, Table } from './table';
import { UPLOAD_ROWS } from './upload-rows';

interface Way {
  name: string;
  rows: readonly Row[];
  attempt: Attempt;
}

const WAYS: readonly Way[] = [
  { name: 'upload of a file', rows: UPLOAD_ROWS, attempt: upload('disk') },
  { name: 'upload of a Buffer', rows: UPLOAD_ROWS, attempt: upload('buffer') },
  { name: 'download to a file', rows: DOWNLOAD_ROWS, attempt: download('disk') },
  { name: 'download to a Buffer', rows: DOWNLOAD_ROWS, attempt: download('memory') },
];

interface Trial {
  sizes: readonly number[];
  /** The rows to try; all if absent. */
  fits?: (row: Row) => boolean;
  open: OpenPerformer;
}

export function tryAll({ sizes, fits = () => true, open }: Trial): void {
  let stage: Stage;
  before(async () => {
    stage = await Stage.set();
    process.stdout.write(`${LEGEND}\n`);
  });
  after(() => stage.strike());

  for (const { name, rows, attempt } of WAYS) {
    describe(name, () => {
      const table = new Table(name, sizes);
      after(() => void process.stdout.write(`\n${table.toString()}\n\n`));

      for (const row of rows.filter(fits)) {
        const fitting = sizes.filter((size) => row.strikes(size));
        if (fitting.length === 0) continue;
        it(row.name, async function () {
          this.timeout(120_000);
          const wrong: string[] = [];
          for (const size of fitting) {
            const performer = await open(stage);
            const outcome = await attempt({ stage, performer }, row, size);
            await performer.close();
            table.note(row, size, outcome);
            wrong.push(...outcome.problems.map((problem) => `${size} bytes: ${problem}`));
          }
          if (wrong.length > 0) throw new Error(wrong.join('\n'));
        });
      }
    });
  }
}
