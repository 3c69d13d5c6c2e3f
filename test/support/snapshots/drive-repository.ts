/** A repository on the local drive, for restic: a copy on disk, or the one that others use, with restic's protocol. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
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

const REST = 'application/vnd.x.restic.rest.v2';

/**
 * Runs restic on the repository itself, while others use it, with restic's protocol.
 * https://restic.readthedocs.io/en/stable/100_references.html#rest-backend
 * @returns its output. @throws with its messages if it fails
 */
export async function resticOnDrive(
  drive: LocalDrive,
  folderId: string,
  args: readonly string[],
  passphrase: string,
): Promise<string> {
  const server = createServer((request, response) => {
    void respond(drive, folderId, request).then(({ status, body = '' }) => {
      const headers = { 'Content-Type': REST, 'Content-Length': Buffer.byteLength(body) };
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `rest:http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const env = { ...process.env, RESTIC_PASSWORD: passphrase };
  const child = spawn('restic', ['-r', url, '--no-cache', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const output = (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
  server.close();
  server.closeAllConnections();
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`restic ${args.join(' ')}: ${output}`);
  return output;
}

async function respond(
  { files }: LocalDrive,
  folderId: string,
  request: IncomingMessage,
): Promise<{ status: number; body?: Buffer | string }> {
  const { pathname } = new URL(request.url ?? '', 'http://localhost');
  const [type = '', name] = pathname.split('/').slice(1);
  const ofType = files.in(folderId).filter((file) => file.name === type && !file.trashed);
  const inType = type === 'config' ? ofType : ofType.flatMap(({ id }) => files.in(id));
  // Packs are in folders by the beginning of their names.
  const all = inType.flatMap((file) => (file.mimeType === FOLDER ? files.in(file.id) : [file]));
  if (name === '') {
    const list = all.map((file) => ({ name: file.name, size: file.content?.size ?? 0 }));
    return { status: 200, body: JSON.stringify(list) };
  }
  if (request.method === 'POST') {
    const content = await buffer(request);
    const prefix = name?.slice(0, 2) ?? '';
    const folder = ofType[0]?.id ?? folderId;
    const part = inType.find((file) => file.name === prefix)?.id;
    const parent = type === 'data' ? (part ?? (await files.addFolder(prefix, folder))) : folder;
    await files.add({ name: name ?? '', parent, content, mimeType: 'application/octet-stream' });
    return { status: 200 };
  }
  const found = all.find((file) => type === 'config' || file.name === name);
  if (!found) return { status: 404 };
  if (request.method === 'DELETE') return files.remove(found.id).then(() => ({ status: 200 }));
  const content = await files.contentOf(found.id);
  const [, start, end] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  if (start === undefined) return { status: 200, body: content };
  return { status: 206, body: content.subarray(Number(start), end ? Number(end) + 1 : undefined) };
}
