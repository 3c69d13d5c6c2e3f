/**
 * Google's own client works with the changes feed.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/changes
 */
import type { drive_v3 } from '@googleapis/drive';
import 'should';
import { type CallSettings, officialClient } from './official-client';
import { useDrive } from './drive-fixture';

describe("local drive: changes with Google's client", () => {
  const service = useDrive();
  let client: drive_v3.Drive;
  let here: CallSettings;

  before(() => ({ client, here } = officialClient(service.drive.url)));

  it("Google's client reads all kinds of changes page by page", async () => {
    const [from, to] = [
      await service.drive.files.addFolder('from'),
      await service.drive.files.addFolder('to'),
    ];
    const ids: string[] = [];
    for (const name of ['made', 'renamed', 'moved', 'trashed', 'removed']) {
      ids.push(await service.drive.files.add({ name, parent: from, content: 'x' }));
    }
    const [, renamed = '', moved = '', trashed = '', removed = ''] = ids;
    const { data: start } = await client.changes.getStartPageToken({ supportsAllDrives: true }, here);
    const made = await client.files.create({ requestBody: { name: 'made later', parents: [from] } }, here);
    await client.files.update({ fileId: renamed, requestBody: { name: 'new name' } }, here);
    await client.files.update({ fileId: moved, addParents: to, removeParents: from }, here);
    await client.files.update({ fileId: trashed, requestBody: { trashed: true } }, here);
    await client.files.delete({ fileId: removed }, here);
    const seen: drive_v3.Schema$Change[] = [];
    let pageToken = String(start.startPageToken);
    for (let isLast = false; !isLast;) {
      const { data } = await client.changes.list(
        {
          pageToken,
          pageSize: 2,
          includeRemoved: true,
          supportsAllDrives: true,
          includeItemsFromAllDrives: true,
          spaces: 'drive',
          fields:
            'nextPageToken,newStartPageToken,changes(changeType,time,removed,fileId,file(name,parents,trashed))',
        },
        here,
      );
      (data.changes ?? []).length.should.be.belowOrEqual(2);
      seen.push(...(data.changes ?? []));
      isLast = !data.nextPageToken;
      pageToken = String(data.nextPageToken ?? data.newStartPageToken);
    }
    seen
      .map(({ fileId, removed: isGone, file }) => [fileId, isGone, file?.name, file?.parents, file?.trashed])
      .should.deepEqual([
        [made.data.id, false, 'made later', [from], false],
        [renamed, false, 'new name', [from], false],
        [moved, false, 'moved', [to], false],
        [trashed, false, 'trashed', [from], true],
        [removed, true, undefined, undefined, undefined],
      ]);
    for (const { changeType, time } of seen) {
      String(changeType).should.equal('file');
      Number.isNaN(Date.parse(String(time))).should.be.false();
    }
    const { data: rest } = await client.changes.list({ pageToken }, here);
    (rest.changes ?? [{}]).should.deepEqual([]);
    await client.changes.list({ pageToken: 'no token' }, here).should.be.rejectedWith({ code: 400 });
    await client.changes
      .getStartPageToken({ driveId: 'no drive', supportsAllDrives: true }, here)
      .should.be.rejectedWith({ code: 404 });
  });
});
