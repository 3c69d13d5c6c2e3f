/** Account state, sign-out and revocation (RFC 7009). docs/security.md, "How to revoke" */
import net from 'node:net';
import helper from 'node-red-node-test-helper';
import should from 'should';
import { CREDENTIALS, REFRESH_TOKEN } from '../../support/node-red/account';
import { SIGNED_OUT, useAdmin } from './admin-fixture';

describe('admin API of accounts', () => {
  const fixture = useAdmin();
  /** The entry without the ID of the sign-in, which makes a sign-out final. */
  const storedForm = (): object => {
    const { signIn: _signIn, ...form } = helper.credentials.get('account') ?? {};
    return form;
  };

  describe('account view', () => {
    it('an account with tokens is signed in, even if the user is unknown', async () => {
      await fixture.load(CREDENTIALS);
      should(await fixture.admin.status('account')).deepEqual({ signedIn: true });
    });

    it('the account status says why a sign-in is required', async () => {
      await fixture.load();
      const view = await fixture.admin.status('account');
      should(view['signedIn']).equal(false);
      should(view['needsSignIn']).have.property('code', 'sign_in_required');
      should(view).have.property('isNew', true);
    });

    it('the account status names a missing property', async () => {
      await fixture.load(CREDENTIALS, { baseUrl: '' });
      should((await fixture.admin.status('account'))['needsSignIn']).have.property('code', 'not_configured');
    });

    it('the account status changes when the grant is revoked', async () => {
      await fixture.load(CREDENTIALS);
      fixture.drive.faults.add({ kind: 'oauthError', error: 'invalid_grant', match: { path: '/token' } });
      await fixture.flow.run('about');
      const view = await fixture.admin.status('account');
      should(view['signedIn']).equal(false);
      should(view).not.have.property('isNew');
    });

    it('the account status does not contain a sign-in whose tokens were replaced', async () => {
      await fixture.load();
      await fixture.signIn('new');
      const entry = helper.credentials.get('new') ?? {};
      entry['refreshToken'] = 'pasted';
      should(await fixture.admin.status('new')).deepEqual({ signedIn: true });
    });
  });

  describe('sign-out', () => {
    it('a sign-out removes the tokens without revoking them', async () => {
      await fixture.load();
      await fixture.signIn();
      should((await fixture.admin.call('DELETE', '/account/sign-in')).status).equal(204);
      should(fixture.drive.requests.to('POST', '/revoke')).be.empty();
      should(storedForm()).deepEqual(SIGNED_OUT);
      should((await fixture.admin.status('account'))['signedIn']).equal(false);
      const before = fixture.drive.requests.all.length;
      should((await fixture.flow.run('about')).error?.cause?.code).equal('sign_in_required');
      should(fixture.drive.requests.all).have.length(before);
    });

    it('a sign-out revokes the tokens on request', async () => {
      await fixture.load(CREDENTIALS);
      should((await fixture.admin.call('DELETE', '/account/sign-in?revoke=true')).status).equal(204);
      should(fixture.drive.requests.to('POST', '/revoke')[0]?.form.get('token')).equal(REFRESH_TOKEN);
    });

    it('a sign-out revokes the tokens of an undeployed node', async () => {
      await fixture.load();
      await fixture.signIn('new');
      should((await fixture.admin.call('DELETE', '/new/sign-in?revoke=true')).status).equal(204);
      should(fixture.drive.requests.to('POST', '/revoke')).have.length(1);
      should(await fixture.admin.status('new')).deepEqual({ signedIn: false });
    });

    it('a sign-out revokes both the deployed and the undeployed tokens', async () => {
      await fixture.load(CREDENTIALS);
      await fixture.signIn('account', { baseUrl: `${fixture.drive.url}/`.replace('127.0.0.1', 'localhost') });
      should((await fixture.admin.call('DELETE', '/account/sign-in?revoke=true')).status).equal(204);
      const revoked = fixture.drive.requests.to('POST', '/revoke').map(({ form }) => form.get('token'));
      should(revoked).have.length(2);
      should(revoked.includes(REFRESH_TOKEN)).equal(true);
      should(new Set(revoked).size).equal(2);
      should((await fixture.admin.status('account'))['signedIn']).equal(false);
    });

    it('a sign-out succeeds even if the service fails or can’t be reached', async () => {
      await fixture.load(CREDENTIALS);
      fixture.drive.faults.add({ kind: 'response', status: 500, body: 'no', match: { path: '/revoke' } });
      should((await fixture.admin.call('DELETE', '/account/sign-in?revoke=true')).status).equal(204);
      should((await fixture.admin.status('account'))['signedIn']).equal(false);
      await helper.unload();
      await fixture.load(CREDENTIALS, { revokeUrl: 'http://127.0.0.1:1/revoke' });
      should((await fixture.admin.call('DELETE', '/account/sign-in?revoke=true')).status).equal(204);
      should((await fixture.admin.status('account'))['signedIn']).equal(false);
    });

    it('a sign-out succeeds even if the response to the revocation never ends', async () => {
      const server = net.createServer((socket) => {
        socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\nX: ');
        const timer = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(timer));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as net.AddressInfo;
      await fixture.load(CREDENTIALS, { revokeUrl: `http://127.0.0.1:${port}/revoke` });
      should((await fixture.admin.call('DELETE', '/account/sign-in?revoke=true')).status).equal(204);
      await new Promise((resolve) => server.close(resolve));
    });

    it('a sign-out of a signed-out account changes nothing', async () => {
      await fixture.load();
      should((await fixture.admin.call('DELETE', '/new/sign-in?revoke=true')).status).equal(204);
    });

    it('a sign-out is final even if a refresh finishes later', async () => {
      await fixture.load(CREDENTIALS);
      fixture.drive.faults.add({
        kind: 'delay',
        until: () => fixture.admin.call('DELETE', '/account/sign-in'),
        match: { path: '/token' },
      });
      should((await fixture.flow.run('about')).error?.cause?.code).equal('sign_in_required');
      should(fixture.drive.requests.to('GET')).be.empty();
      should(storedForm()).deepEqual(SIGNED_OUT);
    });
  });
});
