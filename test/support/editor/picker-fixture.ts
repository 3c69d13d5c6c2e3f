/** A drive with some files, and an editor whose nodes use it, for all tests of a suite. */
import { type LocalDrive, startLocalDrive } from '../../local-drive';
import { CLIENT, CREDENTIALS, REFRESH_TOKEN, customAccount } from '../node-red/account';
import { PickerPage } from './drive-picker';
import { EditorFixture } from './editor-fixture';
import type { DeployedNode } from '../node-red/node-red';

export class PickerFixture extends EditorFixture {
  drive!: LocalDrive;
  /** Id of `/Backups`. */
  backups = '';
  /** Id of `/Backups/2026/backup 2026.tar.gz`. */
  archive = '';

  /** @param addFiles adds more files to the drive */
  constructor(addFiles?: (drive: LocalDrive) => Promise<void>) {
    before(async () => {
      const drive = await startLocalDrive({ clients: [{ ...CLIENT }], refreshToken: REFRESH_TOKEN });
      const backups = await drive.files.addFolder('Backups');
      const archive = await drive.files.add({
        name: 'backup 2026.tar.gz',
        parent: await drive.files.addFolder('2026', backups),
        mimeType: 'application/gzip',
        content: 'x'.repeat(12_300),
      });
      await addFiles?.(drive);
      Object.assign(this, { drive, backups, archive });
    });
    super(() => flow(this.drive));
    beforeEach(() => this.drive.faults.clear());
    after(() => this.drive?.close());
  }

  get picker(): PickerPage {
    return new PickerPage(this.editor);
  }
}

export function pickerFixture(addFiles?: (drive: LocalDrive) => Promise<void>): PickerFixture {
  return new PickerFixture(addFiles);
}

function flow(drive: LocalDrive): DeployedNode[] {
  const account = {
    id: 'account',
    type: 'cloud-drive-account',
    name: 'Drive',
    ...customAccount(drive.url),
  };
  const node = { z: 'tab', account: 'account', x: 300, wires: [[]] };
  return [
    { id: 'tab', type: 'tab', label: 'test' },
    { ...account, credentials: { ...CREDENTIALS } },
    { ...account, id: 'signed-out', name: 'Signed out' },
    { ...node, id: 'download', type: 'cloud-drive-download', y: 60 },
    { ...node, id: 'upload', type: 'cloud-drive-upload', y: 120 },
    { ...node, id: 'delete', type: 'cloud-drive-delete', y: 180 },
    { ...node, id: 'search', type: 'cloud-drive-search-files', y: 240 },
    { ...node, id: 'prune', type: 'cloud-drive-prune', y: 300 },
  ];
}
