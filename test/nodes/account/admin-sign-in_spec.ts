/** The device flow through the admin API. RFC 8628 */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { CREDENTIALS, REFRESH_TOKEN } from '../../support/node-red/account';
import { errorOf, useAdmin } from './admin-fixture';

describe('admin API of accounts', () => {
  const fixture = useAdmin();

  describe('device sign-in', () => {
    it('a sign-in returns the code and the page for the user, uncached', async () => {
      await fixture.load();
      const { status, body, headers } = await fixture.admin.start('account', fixture.drive.url);
      should(status).equal(201);
      const members = ['expiresIn', 'flow', 'interval', 'session', 'userCode', 'verificationUrl'];
      should(Object.keys(body ?? {}).sort()).deepEqual(members);
      should(headers.get('cache-control')).equal('no-store');
      const { session, ...steps } = body ?? {};
      const { body: view } = await fixture.admin.call('GET', `/sign-in/${String(session)}`);
      should({ ...view, expiresIn: steps['expiresIn'] }).deepEqual({ state: 'pending', ...steps });
    });

    it('a sign-in works for the deployed account at once', async () => {
      await fixture.load();
      should((await fixture.flow.run('about')).error?.cause?.code).equal('sign_in_required');
      const view = await fixture.signIn();
      should(view['state']).equal('authorized');
      should(view['scope']).equal('https://www.googleapis.com/auth/drive.file');
      should(view['account']).have.properties('displayName', 'emailAddress');
      should(fixture.flow.statuses('about').at(-1)).deepEqual({});
      should((await fixture.flow.run('about')).sent).have.length(1);
    });

    it('a sign-in for another client or service does not change the deployed account', async () => {
      await fixture.load(CREDENTIALS);
      const other = `${fixture.drive.url}/`.replace('127.0.0.1', 'localhost');
      await fixture.signIn('account', { baseUrl: other });
      await fixture.flow.run('about');
      should(fixture.drive.requests.to('POST', '/token').at(-1)?.form.get('refresh_token')).equal(
        REFRESH_TOKEN,
      );
      should(helper.credentials.get('account')?.['refreshToken']).equal(REFRESH_TOKEN);
      should((await fixture.admin.status('account'))['signedIn']).equal(true);
    });

    it('a sign-in is denied if the user denies it', async () => {
      await fixture.load();
      const { body } = await fixture.admin.start('account', fixture.drive.url);
      fixture.drive.deny(String(body?.['userCode']));
      const view = await fixture.admin.waitForEnd(body?.['session']);
      should(view['state']).equal('denied');
      should(view['error']).have.properties('code', 'message');
      should((await fixture.admin.status('account'))['signedIn']).equal(false);
    });

    it('a sign-in is cancelled by DELETE', async () => {
      await fixture.load();
      const { body } = await fixture.admin.start('account', fixture.drive.url);
      const path = `/sign-in/${String(body?.['session'])}`;
      should((await fixture.admin.call('DELETE', path)).status).equal(204);
      should((await fixture.admin.call('GET', path)).body?.['state']).equal('cancelled');
    });

    it('a sign-in is cancelled by the next one of the same account', async () => {
      await fixture.load();
      const first = await fixture.admin.start('account', fixture.drive.url);
      await fixture.admin.start('account', fixture.drive.url);
      should((await fixture.admin.waitForEnd(first.body?.['session']))['state']).equal('cancelled');
    });

    it('a sign-in continues during a deploy, and is cancelled when Node-RED stops', async () => {
      await fixture.load();
      const { body } = await fixture.admin.start('account', fixture.drive.url);
      const path = `/sign-in/${String(body?.['session'])}`;
      await fixture.flow.redeploy('account', { name: 'renamed' });
      should((await fixture.admin.call('GET', path)).body?.['state']).equal('pending');
      await helper.unload();
      should((await fixture.admin.call('GET', path)).body?.['state']).equal('cancelled');
    });

    it('a sign-in reports an error of the service', async () => {
      await fixture.load();
      const response = await fixture.admin.start('account', fixture.drive.url, { clientId: 'nobody' });
      should(errorOf(response)).deepEqual([400, 'sign_in_required']);
      should(response.text).containEql('client');
    });

    it('a sign-in reports that the service can’t be reached', async () => {
      await fixture.load();
      const deviceUrl = 'http://127.0.0.1:1/device/code';
      should(errorOf(await fixture.admin.start('account', fixture.drive.url, { deviceUrl }))).deepEqual([
        502,
        'network',
      ]);
    });

    it('a sign-in stores the tokens of a node that is not deployed yet', async () => {
      await fixture.load();
      should(await fixture.admin.status('never-deployed')).deepEqual({ signedIn: false });
      await fixture.signIn('never-deployed');
      const { since, ...view } = await fixture.admin.status('never-deployed');
      should(view).have.properties('account', 'scope');
      should(view['signedIn']).equal(true);
      should(Date.parse(String(since))).be.aboveOrEqual(0);
      should(helper.credentials.get('never-deployed')?.['refreshToken']).match(/^1\/\//);
    });
  });
});
