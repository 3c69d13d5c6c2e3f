/** Shortcuts: https://developers.google.com/workspace/drive/api/guides/shortcuts */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import type { DriveContext } from '../../../src/drive/drive-context';
import { SHORTCUT_TYPE, findTargetId, followShortcut, targetOf } from '../../../src/drive/shortcuts';
import { createDriveContext } from '../../support/client/drive-context';
import { rejected } from '../../support/client/rejected';
import { useScriptedService } from '../../support/http/scripted-service';

const shortcut = (id: string, targetId: unknown, targetMimeType?: unknown) => ({
  id,
  name: `to ${String(targetId)}`,
  mimeType: SHORTCUT_TYPE,
  shortcutDetails: { targetId, targetMimeType },
});

describe('targetOf', () => {
  const cases: [string, Parameters<typeof targetOf>[0], object | undefined][] = [
    ['a shortcut', shortcut('s', 't', 'text/plain'), { id: 't', mimeType: 'text/plain' }],
    ['a shortcut without the type of its target', shortcut('s', 't'), { id: 't', mimeType: undefined }],
    ['a shortcut without a target', shortcut('s', undefined), undefined],
    ['a shortcut with an empty target', shortcut('s', ''), undefined],
    ['a shortcut without details', { id: 's', mimeType: SHORTCUT_TYPE }, undefined],
    ['another file', { ...shortcut('s', 't'), mimeType: 'text/plain' }, undefined],
  ];
  for (const [description, file, expected] of cases) {
    it(`the target of ${description} is ${expected ? 'its target' : 'undefined'}`, () => {
      should(targetOf(file)).deepEqual(expected);
    });
  }
});

describe('shortcuts at a service', () => {
  const service = useScriptedService();
  let drive: DriveContext;

  const FILES: Record<string, object> = {
    loop: shortcut('loop', 'back'),
    back: shortcut('back', 'loop'),
    dangling: shortcut('dangling', 'missing'),
    denied: shortcut('denied', 'secret'),
    chain: shortcut('chain', 'link'),
    link: shortcut('link', 'file'),
    file: { id: 'file', name: 'file', mimeType: 'text/plain' },
    toFolder: shortcut('toFolder', 'folder'),
    folder: { id: 'folder', name: 'folder', mimeType: 'application/vnd.google-apps.folder' },
  };
  beforeEach(() => {
    drive = createDriveContext(service.url);
    service.onRequest(({ path }) => {
      const id = path.split('/').pop() ?? '';
      if (id === 'secret') return { status: 403, body: { error: { errors: [{ reason: 'forbidden' }] } } };
      const body = FILES[id];
      return body ? { body } : { status: 404, body: { error: { errors: [{ reason: 'notFound' }] } } };
    });
  });

  it('a shortcut to a shortcut is followed to the file', async () => {
    const { id } = await followShortcut(drive, shortcut('chain', 'link'), 'id', {});
    id.should.equal('file');
  });

  it('a shortcut that leads back to itself is not_found, by its name or else its id', async () => {
    const error = await rejected(
      followShortcut(drive, shortcut('loop', 'back'), 'id', {}),
      'not_found',
      'not_found_shortcut',
    );
    should(error.params['name']).equal('to back');
    const { name: _name, ...unnamed } = shortcut('dangling', 'missing');
    const other = await rejected(followShortcut(drive, unnamed, 'id', {}), 'not_found', 'not_found_shortcut');
    should(other.params['name']).equal('dangling');
  });

  it('a shortcut to a file without access fails with the error of the file', async () => {
    await rejected(followShortcut(drive, shortcut('denied', 'secret'), 'id', {}), 'permission_denied');
  });

  it('findTargetId requests each file once, and a missing one again', async () => {
    for (let turn = 0; turn < 2; turn++) {
      should(await findTargetId(drive, 'toFolder', {})).equal('folder');
      should(await findTargetId(drive, 'folder', {})).be.undefined();
      should(await findTargetId(drive, 'missing', {})).be.undefined();
    }
    const requested = service.requests.map(({ path }) => path.split('/').pop());
    requested.should.deepEqual(['toFolder', 'folder', 'folder', 'missing', 'missing']);
    await rejected(findTargetId(drive, 'secret', {}), 'permission_denied');
    for (const id of ['file', 'link'])
      await rejected(findTargetId(drive, id, {}), 'invalid_input', 'invalid_input_sync_not_folder');
  });

  it('findTargetId requests nothing for the root, or from a custom service', async () => {
    for (const id of ['', 'root']) should(await findTargetId(drive, id, {})).be.undefined();
    const custom = createDriveContext(service.url, { can: CAPABILITIES.custom });
    should(await findTargetId(custom, 'link', {})).be.undefined();
    service.requests.length.should.equal(0);
  });
});
