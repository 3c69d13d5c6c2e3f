import should from 'should';
import { KilledWatch } from './kills';

/** The long one: kill_long. */
describe('a watch whose Node-RED is killed while files change', function () {
  this.timeout(60_000);
  it('tells every change, and each once but for those in flight', async () => {
    const watch = await KilledWatch.open(7);
    try {
      const { lost, invented, repeated } = await watch.through({ changes: 40, kills: 2, seed: 7 });
      should({ lost, invented, repeated }).eql({ lost: [], invented: [], repeated: [] });
    } finally {
      await watch.close();
    }
  });
});
