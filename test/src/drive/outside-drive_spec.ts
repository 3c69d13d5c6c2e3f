/** Folders outside the account's shared drive, which are listed differently. */
import should from 'should';
import { isOutside, markOutside } from '../../../src/drive/drive-context';
import { createDriveContext } from '../../support/client/drive-context';

const context = (driveId: string) => createDriveContext('http://127.0.0.1', { driveId });

describe('folders outside the shared drive', () => {
  it('a folder counts as outside the shared drive once it is marked, for its own account only', () => {
    const [account, other, myDrive] = [context('D'), context('D'), context('')];
    for (const each of [account, myDrive]) markOutside(each, 'marked');
    [account, other, myDrive].map((each) => isOutside(each, 'marked')).should.eql([true, false, false]);
    should(isOutside(account, 'inside')).be.false();
  });

  it('a folder outside the shared drive never looks like one inside, however many there are', () => {
    const account = context('D');
    for (let index = 0; index < 100_001; index++) markOutside(account, `folder ${index}`);
    for (const index of [0, 50_000, 100_000]) isOutside(account, `folder ${index}`).should.be.true();
  });
});
