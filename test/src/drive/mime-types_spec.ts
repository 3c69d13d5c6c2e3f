/** What an item is, by its MIME type. */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { type ItemKind, itemKind } from '../../../src/drive/mime-types';

describe('itemKind', () => {
  const cases: [type: string | undefined, kind: ItemKind, folderMimeType: string][] = [
    [undefined, 'file', ''],
    ['', 'file', ''],
    ['text/plain', 'file', ''],
    ['application/vnd.ms-excel', 'file', ''],
    ['application/vnd.google-apps', 'file', ''],
    ['xapplication/vnd.google-apps.document', 'file', ''],
    ...['google', 'acme'].flatMap((vendor): [string, ItemKind, string][] => [
      [`application/vnd.${vendor}-apps.folder`, 'folder', ''],
      [`application/vnd.${vendor}-apps.folder`, 'folder', 'application/vnd.other-apps.folder'],
      [`application/vnd.${vendor}-apps.shortcut`, 'shortcut', ''],
      [`application/vnd.${vendor}-apps.document`, 'document', ''],
      [`application/vnd.${vendor}-apps.drive-sdk.123`, 'document', ''],
    ]),
    ['inode/directory', 'folder', 'inode/directory'],
    ['inode/directory', 'file', ''],
  ];

  for (const [type, kind, folder] of cases) {
    const account = folder === '' ? 'no folder MIME type' : `folders of the type ${folder}`;
    it(`${type} is a ${kind} for an account with ${account}`, () => {
      const urls = { baseUrl: '', uploadUrl: '', driveId: '' };
      const service = { can: CAPABILITIES.custom, folderMimeType: folder, ...urls };
      should(itemKind(service, type)).equal(kind);
    });
  }
});
