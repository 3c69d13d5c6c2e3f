/** A watch node survives kills of Node-RED. `WATCH_SEED` repeats a run. */
import should from 'should';
import { KilledWatch } from './killed-watch';

const seed = Number(process.env['WATCH_SEED'] ?? Date.now() % 1e6);

describe('watch node with ten kills of Node-RED during 1,000 changes', function () {
  this.timeout(600_000);
  it('the watch node emits every change once, except for changes in flight during a kill', async () => {
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
