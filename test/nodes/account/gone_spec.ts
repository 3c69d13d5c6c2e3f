import should from 'should';
import { DeployedFixture, FOREIGN, FORM } from './deployed-fixture';

/** What becomes of a sign-in, and of what it brings, when its account is taken out of the flows in a real Node-RED. */
describe('an account that is deleted', () => {
  const at = new DeployedFixture();
  afterEach(() => at.stopped());

  const begun = async (): Promise<{ session: string; code: string }> => {
    const { status, body } = await at.admin.start('account', at.drive.url, FORM);
    should(status).equal(201);
    return { session: String(body?.['session']), code: String(body?.['userCode']) };
  };
  const stateOf = async (session: string): Promise<unknown> =>
    (await at.admin.call('GET', `/sign-in/${session}`)).body?.['state'];

  for (const type of ['full', 'flows', 'nodes'] as const) {
    it(`ends the sign-in that is under way, with a deploy of the kind "${type}"`, async () => {
      await at.started({}, true);
      const { session, code } = await begun();
      await at.nodeRed.deploy(FOREIGN, type);
      should(await at.admin.ended(session))
        .have.propertyByPath('error', 'code')
        .equal('cancelled');
      should(at.drive.approve(code)).equal(true);
      should(await at.admin.view('account')).deepEqual({ signedIn: false });
    });
  }

  it('has no tokens of a sign-in that nobody had deployed', async () => {
    await at.started();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.signIn();
    await at.nodeRed.deploy(FOREIGN);
    should(await at.admin.view('account')).deepEqual({ signedIn: false });
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.notSignedIn();
  });

  it('is not one that is disabled: its sign-in goes on, and its tokens are kept', async () => {
    await at.started({}, true);
    const { session, code } = await begun();
    await at.nodeRed.deploy(at.flow({ d: true }, FORM), 'nodes');
    should(await stateOf(session)).equal('pending');
    at.drive.approve(code);
    should(await at.admin.ended(session)).have.property('state', 'authorized');
    await at.nodeRed.deploy(at.flow({ d: false }), 'nodes');
    await at.works();
  });

  it('is not one that was never deployed: its sign-in goes on while others deploy', async () => {
    await at.started();
    const { session, code } = await begun();
    await at.nodeRed.deploy(FOREIGN);
    await at.nodeRed.deploy([...FOREIGN, { id: 'more', type: 'tab', label: 'more' }]);
    should(await stateOf(session)).equal('pending');
    at.drive.approve(code);
    should(await at.admin.ended(session)).have.property('state', 'authorized');
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.works();
  });
});
