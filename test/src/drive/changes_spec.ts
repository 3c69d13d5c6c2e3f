/** The list of changes: https://developers.google.com/workspace/drive/api/guides/manage-changes */
import { type TestClient, createTestClient } from '../../support/client/test-client';
import { rejected } from '../../support/client/rejected';
import { type Reply, useScriptedService } from '../../support/http/scripted-service';

describe('listChangesPage', () => {
  const service = useScriptedService();
  let testClient: TestClient;

  beforeEach(() => (testClient = createTestClient(service.url)));

  it('listChangesPage rejects more than 100 empty pages in a row, even with distinct page tokens', async () => {
    let pages = 0;
    service.onRequest(({ path }): Reply => {
      if (path.endsWith('/startPageToken')) return { body: { startPageToken: '1' } };
      if (!path.endsWith('/changes')) return { body: { id: 'F', files: [], user: {} } };
      if (++pages > 1_000) return { status: 403 };
      return { body: { changes: [], nextPageToken: `page ${pages}` } };
    });
    const target = { folderId: '', recursive: false, events: ['created'], start: 'now' } as const;
    const watch = testClient.client.watch(target, undefined);
    const poll = async (): Promise<void> => {
      for await (const _ of watch.poll({}));
    };
    await rejected(poll(), 'bad_response', 'bad_response_empty_pages');
    pages.should.equal(101);
  });
});
