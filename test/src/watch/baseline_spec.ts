/** The differences that a watch finds when it starts over, from lists that may be incomplete. */
import should from 'should';
import { listDifferences } from '../../../src/watch/baseline';
import { WatchState } from '../../../src/watch/watch-state';
import type { DriveFile } from '../../../src/types';
import { createDriveContext } from '../../support/client/drive-context';
import { rejected } from '../../support/client/rejected';
import { useScriptedService } from '../../support/http/scripted-service';

const NOON = '2026-11-21T12:00:00Z';

describe('listDifferences', () => {
  const service = useScriptedService();
  let state: WatchState;

  beforeEach(() => {
    state = new WatchState('fingerprint', '5');
    state.newAfter = Date.parse(NOON);
    state.record({ id: 'known' });
    state.record({ id: 'missing' });
  });

  /** @param missing the response for the known file that isn't listed */
  const differences = async (
    list: { files: DriveFile[]; incompleteSearch?: boolean },
    missing: { status?: number; body?: object } = { status: 404 },
  ): Promise<string[]> => {
    service.onRequest(({ path }) => (path.endsWith('/missing') ? missing : { body: list }));
    const context = {
      drive: createDriveContext(service.url),
      folder: { folderId: '', recursive: false },
      state,
    };
    const found: string[] = [];
    for await (const changes of listDifferences(context, {}))
      found.push(...changes.map(({ fileId, file }) => (file ? fileId : `${fileId} removed`)));
    return found;
  };
  const files = [
    { id: 'known', name: 'a', modifiedTime: '2026-11-20T12:00:00Z' },
    { id: 'old', name: 'b', modifiedTime: NOON },
    { id: 'new', name: 'c', modifiedTime: '2026-11-21T12:00:01Z' },
    { id: 'undated', name: 'd' },
  ];

  it('all listed files may differ if the watch knows all files', async () => {
    should(await differences({ files })).eql(['known', 'old', 'new', 'undated', 'missing removed']);
  });

  it('only known and new files may differ if the watch does not know all files', async () => {
    state.knowsAll = false;
    should(await differences({ files })).eql(['known', 'new', 'missing removed']);
  });

  it('a known file that is not listed is removed only if the service says so', async () => {
    const list = { files: files.slice(0, 1) };
    const body = { id: 'missing', trashed: false };
    should(await differences(list, { body })).eql(['known', 'missing']);
    should(await differences(list)).eql(['known', 'missing removed']);
    await rejected(differences(list, { status: 403 }), 'permission_denied');
  });

  it('no known file counts as removed if the list may be incomplete', async () => {
    should(await differences({ files: files.slice(0, 1), incompleteSearch: true })).eql(['known']);
    state.knowsAll.should.equal(false);
  });
});
