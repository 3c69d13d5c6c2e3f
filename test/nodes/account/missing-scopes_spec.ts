/** Granted scopes that are fewer than the requested ones. RFC 6749 section 3.3 and docs/signing-in.md */
import should from 'should';
import { CREDENTIALS } from '../../support/node-red/account';
import { useAdmin } from './admin-fixture';

const BASE = 'https://www.googleapis.com/auth';
const REQUESTED = `${BASE}/drive.file email`;

describe('missing scopes of an account', () => {
  const fixture = useAdmin();
  const warnings = (): string[] =>
    fixture.flow.logged().filter((line) => line.includes("wasn't granted all"));

  async function signIn(granted?: string): Promise<void> {
    const { body } = await fixture.admin.start('account', fixture.drive.url, { scope: REQUESTED });
    should(fixture.drive.approve(String(body?.['userCode']), granted)).equal(true);
    should((await fixture.admin.waitForEnd(body?.['session']))['state']).equal('authorized');
  }

  it('missing scopes are reported by the admin API and once in the log, until a sign-in grants them', async () => {
    await fixture.load(undefined, { scope: REQUESTED, name: 'Backups' });
    await signIn('email');
    should(await fixture.admin.status('account')).have.properties({
      signedIn: true,
      scope: 'email',
      missingScopes: [`${BASE}/drive.file`],
    });
    await fixture.flow.run('about');
    await fixture.flow.run('about');
    should(warnings()).have.length(1);
    for (const part of ['Backups', `${BASE}/drive.file.`, 'Sign in again'])
      should(warnings()[0]).containEql(part);
    await signIn();
    should(await fixture.admin.status('account')).have.property('scope', REQUESTED);
    should(await fixture.admin.status('account')).not.have.property('missingScopes');
    should(warnings()).have.length(1);
  });

  it('missing scopes of a pasted token are found by its first refresh', async () => {
    await fixture.load(CREDENTIALS, { scope: REQUESTED });
    should(warnings()).be.empty();
    should(await fixture.admin.status('account')).not.have.property('missingScopes');
    // The local drive grants full access, which includes drive.file.
    await fixture.flow.run('about');
    should(await fixture.admin.status('account')).have.property('missingScopes', ['email']);
    fixture.drive.expireAccessTokens();
    await fixture.flow.run('about');
    should(warnings()).have.length(1);
  });

  it('missing scopes are derived from the form while the account is not deployed', async () => {
    await fixture.load();
    const { body } = await fixture.admin.start('new', fixture.drive.url, { scope: REQUESTED });
    fixture.drive.approve(String(body?.['userCode']), `${BASE}/drive.file`);
    await fixture.admin.waitForEnd(body?.['session']);
    should(await fixture.admin.status('new')).have.property('missingScopes', ['email']);
    should(warnings()).be.empty();
  });

  it('an incomplete account has no missing scopes', async () => {
    await fixture.load(CREDENTIALS, { scope: REQUESTED, maxTransfers: 0 });
    should(await fixture.admin.status('account')).not.have.property('missingScopes');
  });
});
