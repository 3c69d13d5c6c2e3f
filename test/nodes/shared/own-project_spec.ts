/** What nodes say if they find nothing soon after a sign-in: the files may belong to another Google Cloud project. */
import 'should';
import { tokenFingerprint } from '../../../nodes/account/accounts/stored-sign-in';
import { CREDENTIALS } from '../../support/node-red/account';
import { useDrive } from '../../support/node-red/flow-drive';
import { type LoadOptions, type LoadedFlow, load, useNodeRed } from '../../support/node-red/load';
import { failed, passed } from '../../support/node-red/outcome';

const DAY = 86_400_000;
const SENTENCE = 'This client sees only files of its own Google Cloud project.';

/** Credentials of a sign-in some days ago. */
const signedIn = (days: number): LoadOptions['credentials'] => {
  const since = new Date(Date.now() - days * DAY).toISOString();
  return { account: { ...CREDENTIALS, signIn: { since, of: tokenFingerprint(CREDENTIALS) } } };
};

describe('a new account', () => {
  useNodeRed();
  const drive = useDrive();

  const run = async (
    node: Record<string, unknown>,
    payload: unknown,
    options: LoadOptions = {},
  ): Promise<{ flow: LoadedFlow; ending: Awaited<ReturnType<LoadedFlow['run']>> }> => {
    const flow = await load([{ id: 'n', type: '', ...node }], {
      ...{ url: drive().url, service: 'google', credentials: signedIn(1) },
      ...options,
    });
    return { flow, ending: await flow.run('n', { payload, filename: '/nowhere' }) };
  };
  const warnings = (flow: LoadedFlow): string[] =>
    flow.logged().filter((entry) => entry.includes('Nothing was found.'));

  for (const [type, payload] of [
    ['cloud-drive-search-files', { folderId: '', text: 'not-there' }],
    ['cloud-drive-list-folders', ''],
  ] as const) {
    it(`${type} says in its status, and once in a warning, that it sees only its own project`, async () => {
      const { flow, ending } = await run({ type }, payload);
      passed(ending).should.have.property('payload', []);
      await flow.status(
        'n',
        ({ fill, text }) =>
          fill === 'yellow' && String(text).endsWith("only this project's files are visible"),
      );
      passed(await flow.run('n', { payload }));
      warnings(flow).should.have.length(1);
    });
  }

  for (const [when, options] of [
    ['it has been signed in for eight days', { credentials: signedIn(8) }],
    ['its tokens were entered in the form', { credentials: {} }],
    ['it has access to the entire drive', { account: { scope: 'https://www.googleapis.com/auth/drive' } }],
    ['the service isn’t Google Drive', { service: 'custom' }],
  ] as [string, LoadOptions][]) {
    it(`says nothing of projects if ${when}`, async () => {
      const { flow, ending } = await run({ type: 'cloud-drive-list-folders' }, '', options);
      passed(ending).should.have.property('payload', []);
      await flow.status('n', ({ fill }) => fill === 'green');
      warnings(flow).should.eql([]);
    });
  }

  for (const which of ['newest', 'number', 'date']) {
    it(`the error of restore says that it sees only its own project, if there is no archive by ${which}`, async () => {
      const node = { type: 'cloud-drive-restore', which, folder: '', folderType: 'str' };
      const { ending } = await run(node, which === 'date' ? '2026-11-22' : 42);
      failed(ending, 'not_found').message.should.endWith(SENTENCE);
    });
  }
});
