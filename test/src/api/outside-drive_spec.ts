/** Folders outside the account's shared drive, which are listed differently. */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { isOutside, markOutside } from '../../../src/api/outside-drive';
import type { Service } from '../../../src/types';

const service = (driveId: string): Service => ({
  ...{ can: CAPABILITIES.google, baseUrl: '', uploadUrl: '', folderMimeType: '' },
  driveId,
});

describe('folders outside the shared drive', () => {
  it('a folder counts as outside the shared drive once it is marked, for its own account only', () => {
    const [account, other, myDrive] = [service('D'), service('D'), service('')];
    for (const each of [account, myDrive]) markOutside(each, 'marked');
    [account, other, myDrive].map((each) => isOutside(each, 'marked')).should.eql([true, false, false]);
    should(isOutside(account, 'inside')).be.false();
  });

  it('a folder outside the shared drive never looks like one inside, however many there are', () => {
    const account = service('D');
    for (let index = 0; index < 100_001; index++) markOutside(account, `folder ${index}`);
    for (const index of [0, 50_000, 100_000]) isOutside(account, `folder ${index}`).should.be.true();
  });
});
