/** Stored sign-ins of two Node-REDs with one user directory: docs/security.md, "What is stored where". */
import { type DeployedNode, NodeRed } from '../../support/node-red/node-red';
import { DeployedFixture, FORM } from './deployed-fixture';

describe('sign-ins of two Node-REDs with one user directory', () => {
  const first = new DeployedFixture();

  it('renewed tokens and sign-outs of both survive restarts', async () => {
    await first.start({ env: {} }, false, { rotateRefreshTokens: true });
    await first.nodeRed.deploy(first.flow({}, FORM));
    const second = new NodeRed(first.nodeRed.userDir, { settings: { flowFile: 'other.json' } });
    await second.start();
    try {
      await signInAndOut(first, second);
    } finally {
      await second.stop();
    }
  });
});

/** Signs in with both, renews tokens, and signs out with the first one. */
async function signInAndOut(fixture: DeployedFixture, second: NodeRed): Promise<void> {
  const first = fixture.nodeRed;
  const nodeReds = [first, second];
  const withEach = async (work: () => Promise<void>): Promise<void> => {
    for (fixture.nodeRed of nodeReds) await work();
    fixture.nodeRed = first;
  };
  const renew = async (): Promise<void> => {
    fixture.drive.expireAccessTokens();
    await fixture.expectSuccess();
  };
  await second.deploy(withAccount('account2', fixture.flow({}, FORM)));
  await fixture.signIn({ clientSecret: '__PWRD__' });
  fixture.nodeRed = second;
  await fixture.signIn({ clientSecret: '__PWRD__' }, 'account2');
  for (let turn = 0; turn < 2; turn++) await withEach(renew);
  for (const nodeRed of nodeReds) await nodeRed.restart();
  await withEach(renew);
  await fixture.signOut();
  fixture.nodeRed = second;
  await renew();
  for (const nodeRed of nodeReds) await nodeRed.restart();
  await renew();
  fixture.nodeRed = first;
  await fixture.expectSignedOut();
}

function withAccount(id: string, flow: DeployedNode[]): DeployedNode[] {
  return flow.map((node) => {
    if (node.id === 'account') return { ...node, id };
    return 'account' in node ? { ...node, account: id } : node;
  });
}
