/**
 * Google's own client works with shared drives.
 * https://developers.google.com/workspace/drive/api/guides/enable-shareddrives
 */
import type { drive_v3 } from '@googleapis/drive';
import should from 'should';
import { type CallSettings, officialClient } from './official-client';
import { startLocalDrive } from '../index';
import { TOKEN, useDrive } from './drive-fixture';

const FOLDER = 'application/vnd.google-apps.folder';
const KNOWN = { supportsAllDrives: true };
const INCLUDED = { ...KNOWN, includeItemsFromAllDrives: true };

describe("local drive: shared drives with Google's client", () => {
  const service = useDrive({ quota: 1_000 });
  let client: drive_v3.Drive;
  let here: CallSettings;
  let driveId: string;

  before(() => ({ client, here } = officialClient(service.drive.url)));
  beforeEach(async () => (driveId = await service.drive.files.addSharedDrive('Team')));

  const seed = (name: string, parent = driveId) =>
    service.drive.files.add({ name, parent, content: 'content' });
  const named = (files: drive_v3.Schema$File[] = []) => files.map(({ name }) => name).sort();
  const list = async (params: drive_v3.Params$Resource$Files$List) =>
    named((await client.files.list({ q: 'trashed = false', ...params }, here)).data.files);
  const all = { ...INCLUDED, corpora: 'drive' };

  it('drives.list and drives.get return shared drives', async () => {
    const ids: string[] = [driveId];
    let pageToken: string | undefined;
    const seen: (string | null | undefined)[] = [];
    ids.push(await service.drive.files.addSharedDrive('Second'));
    do {
      const { data } = await client.drives.list({ pageSize: 1, pageToken }, here);
      seen.push(...(data.drives ?? []).map(({ id }) => id));
      pageToken = data.nextPageToken ?? undefined;
    } while (pageToken !== undefined);
    for (const id of ids) seen.should.containEql(id);
    const { data } = await client.drives.get({ driveId }, here);
    data.should.deepEqual({ kind: 'drive#drive', id: driveId, name: 'Team' });
    await client.drives.get({ driveId: 'none' }, here).should.be.rejectedWith({ code: 404 });
  });

  it('drives.list finds shared drives by a part of their name, page by page', async () => {
    for (const name of ["Anna's plans", 'Sales plans', 'Sales'])
      await service.drive.files.addSharedDrive(name);
    const found = async (q: string) => {
      const names: (string | null | undefined)[] = [];
      let pageToken: string | undefined;
      do {
        const { data } = await client.drives.list({ q, pageSize: 1, pageToken }, here);
        names.push(...(data.drives ?? []).map(({ name }) => name));
        pageToken = data.nextPageToken ?? undefined;
      } while (pageToken !== undefined);
      return names.sort();
    };
    (await found("name contains 'plans'")).should.deepEqual(["Anna's plans", 'Sales plans']);
    (await found("name contains 'Anna\\'s'")).should.deepEqual(["Anna's plans"]);
    (await found("name = 'sales' and not name contains 'plans'")).should.deepEqual(['Sales']);
    for (const q of ["title contains 'x'", 'name', 'starred = true'])
      await client.drives.list({ q }, here).should.be.rejectedWith({ code: 400 });
  });

  it('drives.list and drives.get require access to the entire drive', async () => {
    const narrow = await startLocalDrive({
      token: TOKEN,
      scope: 'https://www.googleapis.com/auth/drive.file',
    });
    const official = officialClient(narrow.url);
    try {
      for (const ask of [
        () => official.client.drives.list({}, official.here),
        () => official.client.drives.get({ driveId: 'any' }, official.here),
      ])
        await ask().should.be.rejectedWith({ code: 403, message: /insufficient authentication scopes/ });
    } finally {
      await narrow.close();
    }
  });

  it('files in shared drives are visible only with supportsAllDrives', async () => {
    const fileId = await seed('hidden');
    const fields = 'id,driveId,parents,ownedByMe,owners,shared,capabilities(canDelete,canTrash)';
    await client.files.get({ fileId }, here).should.be.rejectedWith({ code: 404 });
    const { data } = await client.files.get({ fileId, fields, ...KNOWN }, here);
    data.should.deepEqual({
      id: fileId,
      driveId,
      parents: [driveId],
      capabilities: { canDelete: true, canTrash: true },
    });
    const asText = { ...here, responseType: 'text' } as const;
    const content = await client.files.get({ fileId, alt: 'media', ...KNOWN }, asText);
    should(content.data).equal('content');
    for (const ask of [
      () => client.files.get({ fileId, alt: 'media' }, here),
      () => client.files.update({ fileId, requestBody: { name: 'x' } }, here),
      () => client.files.copy({ fileId, requestBody: {} }, here),
      () => client.files.delete({ fileId }, here),
      () => client.files.create({ requestBody: { name: 'x', parents: [driveId] } }, here),
      () =>
        client.files.create({ requestBody: { name: 'x', parents: [driveId] }, media: { body: 'x' } }, here),
      () => client.files.update({ fileId, media: { body: 'x' } }, here),
    ])
      await ask().should.be.rejectedWith({ code: 404 });
    named(service.drive.files.in(driveId).map(({ name }) => ({ name }))).should.deepEqual(['hidden']);
  });

  it('files.list includes files in shared drives only if requested', async () => {
    await seed('in the drive');
    const other = await service.drive.files.addSharedDrive('Other');
    await seed('in the other', other);
    const mine = await service.drive.files.addFolder('mine');
    await seed('in mine', mine);
    (await list({ ...all, driveId })).should.deepEqual(['in the drive']);
    (await list({ ...INCLUDED, q: `'${driveId}' in parents` })).should.deepEqual(['in the drive']);
    (await list({ q: `'${driveId}' in parents` })).should.deepEqual([]);
    (await list({})).should.containEql('in mine').and.not.containEql('in the drive');
    (await list({ ...INCLUDED, corpora: 'allDrives' })).should
      .containEql('in mine')
      .and.containEql('in the drive')
      .and.containEql('in the other');
    for (const [query, code] of [
      [{ ...KNOWN, corpora: 'drive', driveId }, 403],
      [{ includeItemsFromAllDrives: true, corpora: 'drive', driveId }, 403],
      [{ ...INCLUDED, driveId }, 400],
      [{ ...all, driveId: 'none' }, 404],
    ] as const)
      await client.files.list(query, here).should.be.rejectedWith({ code });
  });

  it('files in shared drives have one parent, and only files move between drives', async () => {
    const fileId = await seed('a');
    const { data: inner } = await client.files.create(
      { requestBody: { name: 'inner', mimeType: FOLDER, parents: [driveId] }, ...KNOWN },
      here,
    );
    const move = (addParents: string | undefined, removeParents: string | undefined, id = fileId) =>
      client.files.update(
        { fileId: id, addParents, removeParents, fields: 'parents,driveId', ...KNOWN },
        here,
      );
    await move(String(inner.id), undefined).should.be.rejectedWith({ code: 403 });
    await move(undefined, driveId).should.be.rejectedWith({ code: 403 });
    (await move(String(inner.id), driveId)).data.should.deepEqual({ parents: [inner.id], driveId });
    const root = service.drive.files.rootId;
    (await move('root', String(inner.id))).data.should.deepEqual({ parents: [root] });
    (await move(driveId, root)).data.should.deepEqual({ parents: [driveId], driveId });
    await move('root', driveId, String(inner.id)).should.be.rejectedWith({ code: 403 });
    const mine = await service.drive.files.addFolder('mine');
    await move(driveId, root, mine).should.be.rejectedWith({ code: 403 });
    await move('root', driveId, driveId).should.be.rejectedWith({ code: 403 });
    await client.files.delete({ fileId: driveId, ...KNOWN }, here).should.be.rejectedWith({ code: 403 });
  });

  it('the role in a shared drive determines what is allowed', async () => {
    const fileId = await seed('a');
    const may = async (work: () => Promise<unknown>): Promise<boolean> => {
      try {
        await work();
        return true;
      } catch (error) {
        should(error).have.property('code', 403);
        return false;
      }
    };
    const trash = (trashed: boolean) =>
      client.files.update({ fileId, requestBody: { trashed }, ...KNOWN }, here);
    const write = () => client.files.update({ fileId, requestBody: { description: 'd' }, ...KNOWN }, here);
    const create = () =>
      client.files.create({ requestBody: { name: 'n', parents: [driveId] }, ...KNOWN }, here);
    const remove = () => client.files.delete({ fileId, ...KNOWN }, here);
    for (const [role, ...allowed] of [
      ['reader', false, false, false, false],
      ['writer', true, true, false, false],
      ['fileOrganizer', true, true, true, false],
      ['organizer', true, true, true, true],
    ] as const) {
      await service.drive.files.setRole(driveId, role);
      const done = [await may(write), await may(create), await may(() => trash(true)), await may(remove)];
      done.should.deepEqual(allowed, role);
    }
  });

  it('shared drives have a separate trash and storage', async () => {
    const [mine, theirs] = [await seed('mine', 'root'), await seed('theirs')];
    const used = async () =>
      (await client.about.get({ fields: 'storageQuota(usage)' }, here)).data.storageQuota?.usage;
    should(await used()).equal(String(await usageOf(service.drive.files.rootId)));
    for (const fileId of [mine, theirs])
      await client.files.update({ fileId, requestBody: { trashed: true }, ...KNOWN }, here);
    await client.files.emptyTrash({}, here);
    should(service.drive.files.find(mine)).be.undefined();
    should(service.drive.files.find(theirs)).be.ok();
    await client.files.emptyTrash({ driveId }, here);
    should(service.drive.files.find(theirs)).be.undefined();
  });

  const usageOf = (folder: string): Promise<number> =>
    Promise.resolve(
      service.drive.files.in(folder).reduce(function sum(total, each): number {
        const inside = service.drive.files.in(each.id).reduce(sum, 0);
        return total + (each.content?.size ?? 0) + inside;
      }, 0),
    );

  it('the changes feed of a shared drive reports files moved out of it as removed', async () => {
    const token = { ...KNOWN, driveId };
    await client.changes.getStartPageToken({ driveId }, here).should.be.rejectedWith({ code: 404 });
    const { data: start } = await client.changes.getStartPageToken(token, here);
    const [moved, deleted, stays] = [await seed('moved'), await seed('deleted'), await seed('stays')];
    await seed('elsewhere', 'root');
    await client.files.update({ fileId: moved, addParents: 'root', removeParents: driveId, ...KNOWN }, here);
    await client.files.delete({ fileId: deleted, ...KNOWN }, here);
    const since = async (more: object) => {
      const pageToken = String(start.startPageToken);
      const { data } = await client.changes.list({ pageToken, ...more }, here);
      return (data.changes ?? []).map(({ fileId, removed }) => [fileId, removed]);
    };
    (await since({ ...INCLUDED, driveId })).should.deepEqual([
      [stays, false],
      [moved, true],
      [deleted, true],
    ]);
    const mine = await since({});
    mine.should.containDeep([[moved, false]]);
    mine.map(([id]) => id).should.not.containEql(stays);
    await client.changes
      .list({ pageToken: '1', driveId, ...KNOWN }, here)
      .should.be.rejectedWith({ code: 403 });
  });

  it('files.copy copies into and out of a shared drive', async () => {
    const fileId = await seed('source');
    const copy = async (parents?: string[]) =>
      (
        await client.files.copy(
          { fileId, requestBody: { name: 'copy', parents }, fields: 'parents,driveId', ...KNOWN },
          here,
        )
      ).data;
    (await copy()).should.deepEqual({ parents: [driveId], driveId });
    (await copy(['root'])).should.deepEqual({ parents: [service.drive.files.rootId] });
  });
});
