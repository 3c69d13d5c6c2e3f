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
      const staying: DeployedAccount[] = [];
      const leaving: DeployedAccount[] = [];
      for (const each of [nodeRed, other]) {
        const accounts = ['staying', 'leaving'].map((id) => new DeployedAccount(`${id}${each.pid}`));
        for (const account of accounts) account.use(each, drive);
        await each.deploy(accounts.flatMap((account) => account.flow({}, FORM)));
        for (const account of accounts) await account.signIn();
        staying.push(accounts[0]!);
        leaving.push(accounts[1]!);
      }
      for (const account of [...staying, ...leaving, ...staying, ...leaving]) await account.refresh();
      for (const account of leaving) await account.signOut();
      for (const account of staying) await account.refresh();
      for (const each of [nodeRed, other]) await each.restart();
      for (const account of staying) await account.refresh();
      for (const account of leaving) await account.expectSignedOut();
    } finally {
      await other.stop();
      await closeAll(nodeRed, drive);
    }
  });
});
