/** What users find in Node-RED's audit log: docs/security.md, "Audit log". */
import 'should';
import { DeployedFixture, FORM } from './deployed-fixture';

describe('audit log', () => {
  const fixture = new DeployedFixture();

  const lines = (): Record<string, unknown>[] =>
    fixture.nodeRed.log
      .filter((line) => line.includes('"cloud-drive.'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  async function useAccount(): Promise<void> {
    await fixture.signIn();
    await fixture.nodeRed.deploy(fixture.flow({ name: 'my drive' }, FORM));
    fixture.drive.expireAccessTokens();
    await fixture.expectSuccess();
  }

  it('the audit log of Node-RED has a line for each request and each refresh, without secrets', async () => {
    await fixture.start({ audit: true });
    await useAccount();
    const found = lines().map(({ event, path, status, account: id, name }) => ({
      event,
      path,
      status,
      id,
      name,
    }));
    const expected = { id: 'account', name: 'my drive' };
    found.should.containEql({
      event: 'cloud-drive.request',
      path: '/drive/v3/about',
      status: 401,
      ...expected,
    });
    found.should.containEql({
      event: 'cloud-drive.request',
      path: '/drive/v3/about',
      status: 200,
      ...expected,
    });
    found.should.containEql({ event: 'cloud-drive.request', path: '/token', status: 200, ...expected });
    const refresh = { event: 'cloud-drive.refresh', path: undefined, status: undefined };
    found.should.containEql({ ...refresh, ...expected });
    await fixture.expectNoSecrets();
  });

  it('by default, Node-RED logs no requests', async () => {
    await fixture.start();
    await useAccount();
    lines().should.be.empty();
  });
});
