/** Tokens received after the last deploy are stored next to the flows: docs/security.md, "What is stored where". */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DeployedFixture, FORM } from './deployed-fixture';

/** Single cases of what the random sequences combine. */
describe('token journal in Node-RED, case by case', () => {
  const fixture = new DeployedFixture();

  it('undeployed tokens survive several restarts with several refreshes each', async () => {
    await fixture.startRotating();
    for (let restart = 0; restart < 2; restart++) {
      await fixture.refresh();
      await fixture.refresh();
      await fixture.nodeRed.restart();
    }
    await fixture.refresh();
    await fixture.expectNoSecrets();
  });

  it('undeployed tokens survive the deploy that saves them, and a restart after it', async () => {
    await fixture.startRotating();
    await fixture.refresh();
    await fixture.nodeRed.deploy([...fixture.flow(), { id: 'more', type: 'tab', label: 'more' }], 'nodes');
    await fixture.nodeRed.restart();
    await fixture.refresh();
    await fixture.nodeRed.restart();
    await fixture.refresh();
  });

  it('undeployed tokens do not return after a sign-out', async () => {
    await fixture.startRotating();
    await fixture.refresh();
    await fixture.signOut();
    await fixture.nodeRed.restart();
    await fixture.expectSignedOut();
    await fixture.nodeRed.deploy(fixture.flow({}, FORM));
    await fixture.nodeRed.restart();
    await fixture.expectSignedOut();
  });

  it('the tokens of a sign-in after a sign-out are used', async () => {
    await fixture.startRotating();
    await fixture.signOut();
    await fixture.signIn({ clientSecret: '__PWRD__' });
    await fixture.refresh();
    await fixture.nodeRed.restart();
    await fixture.refresh();
  });

  it('tokens that arrive during a deploy survive a restart', async () => {
    await fixture.startRotating();
    await fixture.refresh();
    await fixture.deployDuringRefresh('renamed');
    await fixture.nodeRed.restart();
    await fixture.refresh();
  });

  describe('when flows are stopped and started', () => {
    beforeEach(async () => {
      await fixture.startRotating({ settings: { runtimeState: { enabled: true } } });
      await fixture.refresh();
    });

    it('undeployed tokens survive the restart after it', async () => {
      await fixture.nodeRed.setFlowState('stop');
      await fixture.nodeRed.setFlowState('start');
      await fixture.nodeRed.restart();
      await fixture.refresh();
    });

    it('a sign-out is final', async () => {
      await fixture.nodeRed.deploy(fixture.flow({ name: 'saved' }));
      await fixture.signOut();
      await fixture.nodeRed.setFlowState('stop');
      await fixture.nodeRed.setFlowState('start');
      await fixture.nodeRed.restart();
      await fixture.expectSignedOut();
    });

    it('a sign-out while they are stopped is final', async () => {
      await fixture.nodeRed.deploy(fixture.flow({ name: 'saved' }));
      await fixture.nodeRed.setFlowState('stop');
      await fixture.signOut();
      await fixture.nodeRed.setFlowState('start');
      await fixture.expectSignedOut();
      await fixture.nodeRed.restart();
      await fixture.expectSignedOut();
    });
  });

  describe('when an older credentials file is restored', () => {
    let older: Buffer;
    const file = (): string => path.join(fixture.nodeRed.userDir, 'flows_cred.json');
    const restore = async (): Promise<void> => {
      await fixture.nodeRed.stop();
      await writeFile(file(), older);
      await fixture.nodeRed.start();
    };
    const deployAndRefresh = async (name: string): Promise<void> => {
      await fixture.refresh();
      await fixture.nodeRed.deploy(fixture.flow({ name }));
      await fixture.refresh();
    };
    beforeEach(async () => {
      await fixture.startRotating();
      older = await readFile(file());
    });

    it('the newest tokens are used', async () => {
      for (const name of ['first', 'second']) await deployAndRefresh(name);
      for (let time = 0; time < 2; time++) {
        await restore();
        await fixture.refresh();
      }
    });

    it('a sign-out that was deployed is final', async () => {
      await fixture.signOut();
      await fixture.nodeRed.deploy(fixture.flow({ name: 'signed out' }));
      await restore();
      await fixture.expectSignedOut();
    });

    it('the tokens of a later sign-in are used', async () => {
      await fixture.signOut();
      await fixture.signIn({ clientSecret: '__PWRD__' });
      await deployAndRefresh('second');
      await restore();
      await fixture.refresh();
    });
  });

  it('undeployed tokens survive an own secret after a generated one, with and without a deploy', async () => {
    const useSecret = async (credentialSecret: string | undefined): Promise<void> => {
      fixture.nodeRed.changeSettings({ credentialSecret });
      await fixture.nodeRed.restart();
    };
    await fixture.startRotating({ settings: { credentialSecret: undefined } });
    await fixture.refresh();
    for (const secret of ['own', undefined, 'own']) {
      await useSecret(secret);
      await fixture.refresh();
    }
    await fixture.nodeRed.deploy(fixture.flow({ name: 'with the own secret' }));
    await fixture.refresh();
    await fixture.nodeRed.restart();
    await fixture.refresh();
  });
});
