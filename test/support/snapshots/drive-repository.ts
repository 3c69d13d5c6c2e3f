/** A repository on the local drive, for restic: a folder on disk is a repository as it is. */
import { linkSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { idOf } from '../../../src/backup/restic/crypto';
import type { LocalDrive } from '../../local-drive';
import { FOLDER } from '../../local-drive/storage/file-record';
import { emptyRepository } from './disk-repository';

/** The passphrases of all repositories that tests have made, for the restic oracle. */
export const passphrases = new Set<string>();

/** Makes an empty folder of the drive a repository, as the first backup does, but see {@link emptyRepository}. */
export async function addRepository(drive: LocalDrive, parent: string, passphrase: string): Promise<void> {
  passphrases.add(passphrase);
  const { keyFile, config } = await emptyRepository(passphrase);
  const keys = await drive.files.addFolder('keys', parent);
  for (const name of ['locks', 'snapshots', 'index', 'data']) await drive.files.addFolder(name, parent);
  const mimeType = 'application/octet-stream';
  await drive.files.add({ name: idOf(keyFile), parent: keys, content: keyFile, mimeType });
  await drive.files.add({ name: 'config', parent, content: config, mimeType });
}

/** Copies the folder of the drive to a new folder on disk. Folders with the same name become one. */
export async function exportFolder(drive: LocalDrive, folderId: string, target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  await copyToDisk(drive, folderId, target);
}

async function copyToDisk(drive: LocalDrive, folderId: string, target: string): Promise<void> {
  mkdirSync(target, { recursive: true });
  for (const { id, name, mimeType, trashed, content } of drive.files.in(folderId)) {
    if (trashed) continue;
    const file = path.join(target, name);
    if (mimeType === FOLDER) await copyToDisk(drive, id, file);
    else if (!content?.size) writeFileSync(file, '');
    // Neither the drive nor restic changes a file that it has written.
    else linkSync(path.join(drive.dataDir, 'content', content.blob ?? ''), file);
  }
}

/** Makes the folder of the drive equal to one on disk: adds what is missing, and removes what isn't there. */
export async function importFolder(drive: LocalDrive, folderId: string, source: string): Promise<void> {
  const existing = new Map(
    drive.files.in(folderId).flatMap((file) => (file.trashed ? [] : [[file.name, file.id]])),
  );
  for (const name of readdirSync(source)) {
    const file = path.join(source, name);
    if (statSync(file).isDirectory()) {
      const id = existing.get(name) ?? (await drive.files.addFolder(name, folderId));
      await importFolder(drive, id, file);
    } else if (!existing.has(name)) {
      await drive.files.add({
        name,
        parent: folderId,
        content: readFileSync(file),
        mimeType: 'application/octet-stream',
      });
    }
    existing.delete(name);
  }
  for (const id of existing.values()) await drive.files.remove(id);
}
