import should from 'should';
import { DeployedFixture, FOREIGN, FORM } from './deployed-fixture';

/** Sign-ins and tokens of an account that is deleted from the flows, in a real Node-RED. */
describe('deleted account', () => {
  const at = new DeployedFixture();
  afterEach(() => at.stopped());

  const startSignIn = async (): Promise<{ session: string; code: string }> => {
    const { status, body } = await at.admin.start('account', at.drive.url, FORM);
    should(status).equal(201);
    return { session: String(body?.['session']), code: String(body?.['userCode']) };
  };
  const stateOf = async (session: string): Promise<unknown> =>
    (await at.admin.call('GET', `/sign-in/${session}`)).body?.['state'];

  for (const type of ['full', 'flows', 'nodes'] as const) {
    it(`deleting an account cancels its sign-in with a deploy of type "${type}"`, async () => {
      await at.started({}, true);
      const { session, code } = await startSignIn();
      await at.nodeRed.deploy(FOREIGN, type);
      should(await at.admin.ended(session))
        .have.propertyByPath('error', 'code')
        .equal('cancelled');
      should(at.drive.approve(code)).equal(true);
      should(await at.admin.view('account')).deepEqual({ signedIn: false });
    });
  }

  it('deleting an account removes the tokens of an undeployed sign-in', async () => {
    await at.started();
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.signIn();
    await at.nodeRed.deploy(FOREIGN);
    should(await at.admin.view('account')).deepEqual({ signedIn: false });
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.notSignedIn();
  });

  it('disabling an account keeps its sign-in and its tokens', async () => {
    await at.started({}, true);
    const { session, code } = await startSignIn();
    await at.nodeRed.deploy(at.flow({ d: true }, FORM), 'nodes');
    should(await stateOf(session)).equal('pending');
    at.drive.approve(code);
    should(await at.admin.ended(session)).have.property('state', 'authorized');
    await at.nodeRed.deploy(at.flow({ d: false }), 'nodes');
    await at.works();
  });

  it('the sign-in of an undeployed account continues while others deploy', async () => {
    await at.started();
    const { session, code } = await startSignIn();
    await at.nodeRed.deploy(FOREIGN);
    await at.nodeRed.deploy([...FOREIGN, { id: 'more', type: 'tab', label: 'more' }]);
    should(await stateOf(session)).equal('pending');
    at.drive.approve(code);
    should(await at.admin.ended(session)).have.property('state', 'authorized');
    await at.nodeRed.deploy(at.flow({}, FORM));
    await at.works();
  });
});
