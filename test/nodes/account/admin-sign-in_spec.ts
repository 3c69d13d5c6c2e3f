/** A device sign-in through the admin API of the account (RFC 8628). */
import helper from 'node-red-node-test-helper';
import should from 'should';
import { CREDENTIALS, REFRESH_TOKEN } from '../../support/node-red/account';
import { errorOf, useAdmin } from './admin-fixture';

describe("the account's admin API", () => {
  const at = useAdmin();

  describe('sign-in', () => {
    it('a sign-in returns the code and the page for the user, uncached', async () => {
      await at.loaded();
      const { status, body, headers } = await at.admin.start('account', at.drive.url);
      should(status).equal(201);
      const known = ['expiresIn', 'flow', 'interval', 'session', 'userCode', 'verificationUrl'];
      should(Object.keys(body ?? {}).sort()).deepEqual(known);
      should(headers.get('cache-control')).equal('no-store');
      const { session, ...steps } = body ?? {};
      const { body: view } = await at.admin.call('GET', `/sign-in/${String(session)}`);
      should({ ...view, expiresIn: steps['expiresIn'] }).deepEqual({ state: 'pending', ...steps });
    });

    it('a sign-in works for the deployed account at once', async () => {
      await at.loaded();
      should((await at.flow.run('about')).error?.cause?.code).equal('sign_in_required');
      const view = await at.signIn();
      should(view['state']).equal('authorized');
      should(view['scope']).equal('https://www.googleapis.com/auth/drive.file');
      should(view['account']).have.properties('displayName', 'emailAddress');
      should(at.flow.statuses('about').at(-1)).deepEqual({});
      should((await at.flow.run('about')).sent).have.length(1);
    });

    it('a sign-in for another client or service does not change the deployed account', async () => {
      await at.loaded(CREDENTIALS);
      const other = `${at.drive.url}/`.replace('127.0.0.1', 'localhost');
      await at.signIn('account', { baseUrl: other });
      await at.flow.run('about');
      should(at.drive.requests.to('POST', '/token').at(-1)?.form.get('refresh_token')).equal(REFRESH_TOKEN);
      should(helper.credentials.get('account')?.['refreshToken']).equal(REFRESH_TOKEN);
      should((await at.admin.view('account'))['signedIn']).equal(true);
    });

    it('a sign-in is denied if the user denies it', async () => {
      await at.loaded();
      const { body } = await at.admin.start('account', at.drive.url);
      at.drive.deny(String(body?.['userCode']));
      const view = await at.admin.ended(body?.['session']);
      should(view['state']).equal('denied');
      should(view['error']).have.properties('code', 'message');
      should((await at.admin.view('account'))['signedIn']).equal(false);
    });

    it('a sign-in is cancelled by DELETE', async () => {
      await at.loaded();
      const { body } = await at.admin.start('account', at.drive.url);
      const where = `/sign-in/${String(body?.['session'])}`;
      should((await at.admin.call('DELETE', where)).status).equal(204);
      should((await at.admin.call('GET', where)).body?.['state']).equal('cancelled');
    });

    it('a sign-in is cancelled by the next one of the same account', async () => {
      await at.loaded();
      const first = await at.admin.start('account', at.drive.url);
      await at.admin.start('account', at.drive.url);
      should((await at.admin.ended(first.body?.['session']))['state']).equal('cancelled');
    });

    it('a sign-in continues during a deploy, and is cancelled when Node-RED stops', async () => {
      await at.loaded();
      const { body } = await at.admin.start('account', at.drive.url);
      const where = `/sign-in/${String(body?.['session'])}`;
      await at.flow.redeploy('account', { name: 'renamed' });
      should((await at.admin.call('GET', where)).body?.['state']).equal('pending');
      await helper.unload();
      should((await at.admin.call('GET', where)).body?.['state']).equal('cancelled');
    });

    it('a sign-in reports an error of the service', async () => {
      await at.loaded();
      const response = await at.admin.start('account', at.drive.url, { clientId: 'nobody' });
      should(errorOf(response)).deepEqual([400, 'sign_in_required']);
      should(response.text).containEql('client');
    });

    it('a sign-in reports that the service can’t be reached', async () => {
      await at.loaded();
      const deviceUrl = 'http://127.0.0.1:1/device/code';
      should(errorOf(await at.admin.start('account', at.drive.url, { deviceUrl }))).deepEqual([
        502,
        'network',
      ]);
    });

    it('a sign-in stores the tokens of a node that is not deployed yet', async () => {
      await at.loaded();
      should(await at.admin.view('never-deployed')).deepEqual({ signedIn: false });
      await at.signIn('never-deployed');
      const { since, ...view } = await at.admin.view('never-deployed');
      should(view).have.properties('account', 'scope');
      should(view['signedIn']).equal(true);
      should(Date.parse(String(since))).be.aboveOrEqual(0);
      should(helper.credentials.get('never-deployed')?.['refreshToken']).match(/^1\/\//);
    });
  });
});
