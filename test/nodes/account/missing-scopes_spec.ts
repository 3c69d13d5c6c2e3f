/** Fewer scopes than asked for (RFC 6749 section 3.3): docs/signing-in.md, "What it may see". */
import should from 'should';
import { CREDENTIALS } from '../../support/node-red/account';
import { useAdmin } from './admin-fixture';

const BASE = 'https://www.googleapis.com/auth';
const ASKED = `${BASE}/drive.file email`;

describe('missing scopes', () => {
  const at = useAdmin();
  const warnings = (): string[] => at.flow.logged().filter((line) => line.includes('asks for more'));

  async function signIn(granted?: string): Promise<void> {
    const { body } = await at.admin.start('account', at.drive.url, { scope: ASKED });
    should(at.drive.approve(String(body?.['userCode']), granted)).equal(true);
    should((await at.admin.ended(body?.['session']))['state']).equal('authorized');
  }

  it('missing scopes are reported by the admin API and once in the log, until a sign-in grants them', async () => {
    await at.loaded(undefined, { scope: ASKED, name: 'Backups' });
    await signIn('email');
    should(await at.admin.view('account')).have.properties({
      signedIn: true,
      scope: 'email',
      missingScopes: [`${BASE}/drive.file`],
    });
    await at.flow.run('about');
    await at.flow.run('about');
    should(warnings()).have.length(1);
    for (const part of ['Backups', `${BASE}/drive.file.`, 'Sign in again'])
      should(warnings()[0]).containEql(part);
    await signIn();
    should(await at.admin.view('account')).have.property('scope', ASKED);
    should(await at.admin.view('account')).not.have.property('missingScopes');
    should(warnings()).have.length(1);
  });

  it('missing scopes of a pasted token are found by its first refresh', async () => {
    await at.loaded(CREDENTIALS, { scope: ASKED });
    should(warnings()).be.empty();
    should(await at.admin.view('account')).not.have.property('missingScopes');
    // The local drive grants the whole drive, which includes drive.file.
    await at.flow.run('about');
    should(await at.admin.view('account')).have.property('missingScopes', ['email']);
    at.drive.expireAccessTokens();
    await at.flow.run('about');
    should(warnings()).have.length(1);
  });

  it('missing scopes are derived from the form while the account is not deployed', async () => {
    await at.loaded();
    const { body } = await at.admin.start('new', at.drive.url, { scope: ASKED });
    at.drive.approve(String(body?.['userCode']), `${BASE}/drive.file`);
    await at.admin.ended(body?.['session']);
    should(await at.admin.view('new')).have.property('missingScopes', ['email']);
    should(warnings()).be.empty();
  });

  it('an incomplete account has no missing scopes', async () => {
    await at.loaded(CREDENTIALS, { scope: ASKED, maxTransfers: 0 });
    should(await at.admin.view('account')).not.have.property('missingScopes');
  });
});
