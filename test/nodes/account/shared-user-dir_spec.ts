/** Stored sign-ins of two Node-REDs with one user directory: docs/security.md, "What is stored where". */
import { closeAll } from '../../support/close-all';
import { NodeRed, startNodeRed } from '../../support/node-red/node-red';
import { DeployedAccount, FORM, OTHER_FLOW, startDrive } from './deployed-fixture';

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

  it('accounts with equal IDs use, renew and delete only their own sign-ins', async () => {
    const drives = [
      await startDrive({ rotateRefreshTokens: true }),
      await startDrive({ rotateRefreshTokens: true }),
    ] as const;
    const nodeRed = await startNodeRed({ flow: [] });
    const other = new NodeRed(nodeRed.userDir, { settings: { flowFile: 'other.json' } });
    try {
      await other.start();
      const [one, two] = [new DeployedAccount('equal'), new DeployedAccount('equal')];
      one.use(nodeRed, drives[0]);
      two.use(other, drives[1]);
      for (const each of [one, two]) await each.nodeRed.deploy(each.flow({}, FORM));
      await one.signIn();
      await other.restart();
      await two.expectSignedOut();
      await two.signIn();
      for (const each of [one, two]) await each.refresh();
      for (const each of [one, two]) await each.nodeRed.restart();
      for (const each of [one, two]) await each.refresh();
      await nodeRed.deploy(OTHER_FLOW);
      await other.restart();
      await two.refresh();
      await nodeRed.deploy(one.flow({}, FORM));
      await one.expectSignedOut();
    } finally {
      await other.stop();
      await closeAll(nodeRed, ...drives);
    }
  });
});
