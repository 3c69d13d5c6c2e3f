/** The _Bandwidth_ setting of docs/nodes/account.md, for uploads. */
import { bytes } from '../../../support/content';
import { FakeClock } from '../../../support/clock';
import { rejected } from '../../../support/client/rejected';
import { uploadFixture } from '../../../support/client/upload-fixture';

const RATE = 1_000_000;
const content = bytes(6_000_001);

describe('throttled uploads', () => {
  const fixture = uploadFixture();

  it('takes the time that the bandwidth limit requires and uploads the right content', async () => {
    fixture.restart({ bandwidth: RATE });
    const path = await fixture.onDisk(content);
    const startedAt = fixture.clock.now();
    await fixture.upload({ path });
    fixture.onlyFile().content.equals(content).should.be.true();
    (fixture.clock.now() - startedAt).should.be.within(5_700, 6_100);
  });

  it('shares the bandwidth limit between concurrent uploads', async () => {
    fixture.restart({ bandwidth: RATE });
    const path = await fixture.onDisk(content);
    const startedAt = fixture.clock.now();
    await Promise.all([
      fixture.upload({ path }),
      fixture.upload({ data: content }),
      fixture.upload({ data: 'small' }),
    ]);
    (fixture.clock.now() - startedAt).should.be.within(11_700, 12_200);
    fixture.service.files.filter((file) => file.content.equals(content)).length.should.equal(2);
  });

  it('stops an upload at once when it is cancelled while it waits for bandwidth', async () => {
    const clock = new FakeClock('manual');
    fixture.restart({ bandwidth: 1, clock });
    const abort = new AbortController();
    const started = fixture.upload({ data: content }, {}, { signal: abort.signal });
    await clock.untilSleeping();
    abort.abort();
    await rejected(started, 'cancelled');
  });
});
