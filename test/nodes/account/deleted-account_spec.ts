import should from 'should';
import { DeployedFixture, OTHER_FLOW, FORM } from './deployed-fixture';

/** Sign-ins and tokens of an account that is deleted from the flows in Node-RED. */
describe('deleted account in Node-RED', () => {
  const fixture = new DeployedFixture();

  const startSignIn = async (): Promise<{ session: string; code: string }> => {
    const { status, body } = await fixture.admin.start('account', fixture.drive.url, FORM);
    should(status).equal(201);
    return { session: String(body?.['session']), code: String(body?.['userCode']) };
  };
  const stateOf = async (session: string): Promise<unknown> =>
    (await fixture.admin.call('GET', `/sign-in/${session}`)).body?.['state'];

  for (const type of ['full', 'flows', 'nodes'] as const) {
    it(`deleting an account cancels its sign-in with a deploy of type "${type}"`, async () => {
      await fixture.start({}, true);
      const { session, code } = await startSignIn();
      await fixture.nodeRed.deploy(OTHER_FLOW, type);
      should(await fixture.admin.waitForEnd(session))
        .have.propertyByPath('error', 'code')
        .equal('cancelled');
      should(fixture.drive.approve(code)).equal(true);
      should(await fixture.admin.status('account')).deepEqual({ signedIn: false });
    });
  }

  it('deleting an account removes the tokens of an undeployed sign-in', async () => {
    await fixture.start();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.signIn();
    await fixture.nodeRed.deploy(OTHER_FLOW);
    should(await fixture.admin.status('account')).deepEqual({ signedIn: false });
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.expectSignInRequired();
  });

  it('disabling an account keeps its sign-in and its tokens', async () => {
    await fixture.start({}, true);
    const { session, code } = await startSignIn();
    await fixture.nodeRed.deploy(fixture.flow({ d: true }, FORM), 'nodes');
    should(await stateOf(session)).equal('pending');
    fixture.drive.approve(code);
    should(await fixture.admin.waitForEnd(session)).have.property('state', 'authorized');
    await fixture.nodeRed.deploy(fixture.flow({ d: false }), 'nodes');
    await fixture.expectSuccess();
  });

  it('the sign-in of an undeployed account continues while others deploy', async () => {
    await fixture.start();
    const { session, code } = await startSignIn();
    await fixture.nodeRed.deploy(OTHER_FLOW);
    await fixture.nodeRed.deploy([...OTHER_FLOW, { id: 'more', type: 'tab', label: 'more' }]);
    should(await stateOf(session)).equal('pending');
    fixture.drive.approve(code);
    should(await fixture.admin.waitForEnd(session)).have.property('state', 'authorized');
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.expectSuccess();
  });
});
