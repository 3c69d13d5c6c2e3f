/** Whether a file is in a watched folder, and what a watch requests for that. */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { FolderScope } from '../../../src/watch/folder-scope';
import { KnownFiles } from '../../../src/watch/known-files';
import { resolveWatchTarget } from '../../../src/watch/folder-scope';
import { createDriveContext } from '../../support/client/drive-context';
import { rejected } from '../../support/client/rejected';
import { useScriptedService } from '../../support/http/scripted-service';

const FOLDER = 'application/vnd.google-apps.folder';

describe('FolderScope', () => {
  const service = useScriptedService();
  const scope = (kind: keyof typeof CAPABILITIES = 'google') =>
    new FolderScope(
      createDriveContext(service.url, { can: CAPABILITIES[kind] }),
      { folderId: 'w', recursive: true },
      new KnownFiles(),
    );

  const responses: [string, keyof typeof CAPABILITIES, number][] = [
    ['is missing', 'google', 404],
    ['cannot be requested from a custom service', 'custom', 405],
  ];
  for (const [description, kind, status] of responses) {
    it(`a parent folder that ${description} is outside the watched folder, and requested once`, async () => {
      service.onRequest(() => ({ status, body: { error: { errors: [{ reason: 'notFound' }] } } }));
      const folders = scope(kind);
      for (let turn = 0; turn < 2; turn++) await folders.loadAncestors('p', {});
      folders.contains('p').should.equal(false);
      service.requests.length.should.equal(1);
    });
  }

  it('a parent folder is requested again after another error', async () => {
    service.respondInOrder({ status: 403 }, { body: { id: 'p', parents: ['w'] } });
    const folders = scope();
    await rejected(folders.loadAncestors('p', {}), 'permission_denied');
    folders.contains('p').should.equal(false);
    await folders.loadAncestors('p', {});
    folders.contains('p').should.equal(true);
  });

  it('the cache of folders keeps the 1,000 that changed last', () => {
    const folders = scope();
    const change = (id: string): void => folders.updateParents([{ id, mimeType: FOLDER, parents: ['w'] }]);
    for (let index = 0; index < 1_001; index++) change(`f${index}`);
    change('f0');
    folders.updateParents([{ id: 'file', mimeType: 'text/plain', parents: ['w'] }]);
    folders.contains('file').should.equal(false);
    folders.evict();
    ['f0', 'f1', 'f2', 'f1000'].map((id) => folders.contains(id)).should.eql([true, false, true, true]);
  });
});

describe('resolveWatchTarget', () => {
  const service = useScriptedService();
  const WHOLE = { folderId: '', recursive: false };
  const fingerprintFor = async (
    user: unknown,
    kind: keyof typeof CAPABILITIES = 'google',
  ): Promise<string> => {
    service.onRequest(() => ({ body: { user } }));
    return (await resolveWatchTarget(createDriveContext(service.url, { can: CAPABILITIES[kind] }), WHOLE, {}))
      .fingerprint;
  };

  it('the fingerprint of a watch distinguishes users by permission id, else by address', async () => {
    const prints = [
      await fingerprintFor({ permissionId: '1', emailAddress: 'me@a.example' }),
      await fingerprintFor({ permissionId: '2', emailAddress: 'me@a.example' }),
      await fingerprintFor({ emailAddress: 'me@a.example' }),
      await fingerprintFor({}),
    ];
    new Set(prints).size.should.equal(4);
    should(await fingerprintFor({ permissionId: '1' })).equal(prints[0]);
    should(await fingerprintFor(undefined)).equal(prints[3]);
  });

  it('a custom service need not identify the user or the folder', async () => {
    const unidentified = await fingerprintFor({}, 'custom');
    service.onRequest(() => ({ status: 404 }));
    const custom = createDriveContext(service.url, { can: CAPABILITIES.custom });
    should(await resolveWatchTarget(custom, WHOLE, {})).containEql({ fingerprint: unidentified });
    const folder = { folderId: 'f', recursive: true };
    should(await resolveWatchTarget(custom, folder, {})).containEql(folder);
  });

  it('a watch does not start without knowing whether the user is another one', async () => {
    for (const [kind, status, code] of [
      ['google', 404, 'bad_response'],
      ['custom', 403, 'permission_denied'],
    ] as const) {
      service.onRequest(() => ({ status }));
      await rejected(
        resolveWatchTarget(createDriveContext(service.url, { can: CAPABILITIES[kind] }), WHOLE, {}),
        code,
      );
    }
  });

  it('a watch of a folder in the trash is not_found', async () => {
    service.onRequest(() => ({ body: { id: 'f', trashed: true } }));
    const folder = { folderId: 'f', recursive: false };
    await rejected(
      resolveWatchTarget(createDriveContext(service.url), folder, {}),
      'not_found',
      'not_found_watched',
    );
  });
});
