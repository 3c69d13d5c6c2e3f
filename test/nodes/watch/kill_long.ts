/** A watch over kills: docs/how-it-works.md, "Watching". `WATCH_SEED` repeats a run. */
import should from 'should';
import { KilledWatch } from './killed-watch';

const seed = Number(process.env['WATCH_SEED'] ?? Date.now() % 1e6);

describe('a watch whose Node-RED is killed ten times while 1,000 changes are made', function () {
  this.timeout(600_000);
  it('tells every change, and each once but for those in flight', async () => {
    const watch = await KilledWatch.open(seed);
    try {
      const { lost, invented, repeated, ...numbers } = await watch.runChanges({
        changes: 1_000,
        kills: 10,
        seed,
      });
      process.stdout.write(`      seed ${seed}: ${JSON.stringify(numbers)}\n`);
      should({ lost, invented, repeated }).eql({ lost: [], invented: [], repeated: [] });
      numbers.changes.should.be.aboveOrEqual(1_000);
    } finally {
      await watch.close();
    }
  });
});
