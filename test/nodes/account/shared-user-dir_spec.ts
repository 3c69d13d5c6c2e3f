/** Stored sign-ins of two Node-REDs with one user directory: docs/security.md, "What is stored where". */
import { closeAll } from '../../support/close-all';
import { NodeRed, startNodeRed } from '../../support/node-red/node-red';
import { DeployedAccount, FORM, startDrive } from './deployed-fixture';

describe('sign-ins of two Node-REDs with one user directory', () => {
  it('renewed tokens and sign-outs of both survive restarts', async () => {
    const drive = await startDrive({ rotateRefreshTokens: true });
    const nodeRed = await startNodeRed({ flow: [] });
    const other = new NodeRed(nodeRed.userDir, { settings: { flowFile: 'other.json' } });
    try {
      await other.start();
      const [first, second] = [new DeployedAccount('account'), new DeployedAccount('account2')];
      first.use(nodeRed, drive);
      second.use(other, drive);
      for (const account of [first, second]) {
        await account.nodeRed.deploy(account.flow({}, FORM));
        await account.signIn();
      }
      for (const account of [first, second, first, second]) await account.refresh();
      for (const { nodeRed } of [first, second]) await nodeRed.restart();
      for (const account of [first, second]) await account.refresh();
      await first.signOut();
      await second.refresh();
      for (const { nodeRed } of [first, second]) await nodeRed.restart();
      await second.refresh();
      await first.expectSignedOut();
    } finally {
      await other.stop();
      await closeAll(nodeRed, drive);
    }
  });
});
