/** _Bandwidth_ of docs/nodes/account.md, for uploads. */
import { bytes } from '../../support/content';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { uploadFixture } from '../../support/client/upload-fixture';

const RATE = 1_000_000;
const content = bytes(6_000_001);

describe('uploads with a limited bandwidth', () => {
  const at = uploadFixture();

  it('take as long as they must, and arrive as they are on disk', async () => {
    at.restart({ bandwidth: RATE });
    const path = await at.onDisk(content);
    const begun = at.under.clock.now();
    await at.upload({ path });
    at.only().content.equals(content).should.be.true();
    (at.under.clock.now() - begun).should.be.within(5_700, 6_100);
  });

  it('share it', async () => {
    at.restart({ bandwidth: RATE });
    const path = await at.onDisk(content);
    const begun = at.under.clock.now();
    await Promise.all([at.upload({ path }), at.upload({ data: content }), at.upload({ data: 'small' })]);
    (at.under.clock.now() - begun).should.be.within(11_700, 12_200);
    at.service.files.filter((file) => file.content.equals(content)).length.should.equal(2);
  });

  it('end at once when they are cancelled while they wait', async () => {
    const clock = new FakeClock('manual');
    at.restart({ bandwidth: 1, clock });
    const ending = new AbortController();
    const started = at.upload({ data: content }, {}, { signal: ending.signal });
    await clock.untilSleeping();
    ending.abort();
    await rejected(started, 'cancelled');
  });
});
