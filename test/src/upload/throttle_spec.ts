/** _Bandwidth_ of docs/nodes/account.md, for uploads. */
import { bytes } from '../../support/content';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import { uploadFixture } from '../../support/client/upload-fixture';

const RATE = 1_000_000;
const content = bytes(6_000_001);

describe('uploads with a limited bandwidth', () => {
  const fixture = uploadFixture();

  it('take as long as they must, and arrive as they are on disk', async () => {
    fixture.restart({ bandwidth: RATE });
    const path = await fixture.onDisk(content);
    const begun = fixture.clock.now();
    await fixture.upload({ path });
    fixture.onlyFile().content.equals(content).should.be.true();
    (fixture.clock.now() - begun).should.be.within(5_700, 6_100);
  });

  it('share it', async () => {
    fixture.restart({ bandwidth: RATE });
    const path = await fixture.onDisk(content);
    const begun = fixture.clock.now();
    await Promise.all([
      fixture.upload({ path }),
      fixture.upload({ data: content }),
      fixture.upload({ data: 'small' }),
    ]);
    (fixture.clock.now() - begun).should.be.within(11_700, 12_200);
    fixture.service.files.filter((file) => file.content.equals(content)).length.should.equal(2);
  });

  it('end at once when they are cancelled while they wait', async () => {
    const clock = new FakeClock('manual');
    fixture.restart({ bandwidth: 1, clock });
    const ending = new AbortController();
    const started = fixture.upload({ data: content }, {}, { signal: ending.signal });
    await clock.untilSleeping();
    ending.abort();
    await rejected(started, 'cancelled');
  });
});
