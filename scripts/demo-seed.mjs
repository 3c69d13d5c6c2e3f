/** Fills the demo's drive at its first start: archives for the backup examples, an inbox, a sheet and a report. */

import { gzipSync } from 'node:zlib';

const FOLDER = 'application/vnd.google-apps.folder';

/** @param drive URL of the local drive */
export async function seedDrive({ drive, accessToken }) {
  const post = async (path, type, body) => {
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': type };
    const response = await fetch(`${drive}${path}`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`The local drive responded to ${path} with status ${response.status}.`);
    return (await response.json()).id;
  };
  const folder = (name, ...parents) =>
    post('/drive/v3/files', 'application/json', JSON.stringify({ name, mimeType: FOLDER, parents }));
  const file = (metadata, content, contentType = metadata.mimeType) => {
    const part = (type, body) => [`--demo\r\nContent-Type: ${type}\r\n\r\n`, body, '\r\n'];
    const parts = [
      ...part('application/json', JSON.stringify(metadata)),
      ...part(contentType, content),
      '--demo--',
    ];
    const body = Buffer.concat(parts.map((each) => Buffer.from(each)));
    return post('/upload/drive/v3/files?uploadType=multipart', 'multipart/related; boundary=demo', body);
  };
  const machine = await folder('pi', await folder('Backups'));
  for (let day = 1; day <= 12; day += 1) {
    const two = String(day).padStart(2, '0');
    const name = `archive-2026-01-${two}_0230-00${two}.tar.gz`;
    await file({ name, mimeType: 'application/gzip', parents: [machine] }, `what was saved on day ${day}`);
    const folder = `documents-2026-01-${two}-00${two}.tar.gz`;
    const content = await archiveOf('documents/notes.txt', `What was needed on day ${day}.\n`);
    await file({ name: folder, mimeType: 'application/gzip', parents: [machine] }, content);
  }
  const inbox = await folder('Inbox');
  const old = { name: 'old-notes.txt', mimeType: 'text/plain', modifiedTime: '2026-01-15T08:00:00.000Z' };
  await file({ ...old, parents: [inbox] }, 'Nobody has changed this for a long time.\n');
  const sheet = { name: 'Budget', mimeType: 'application/vnd.google-apps.spreadsheet' };
  await file(sheet, 'item,amount\nrent,900\nfood,300\n', 'text/csv');
  await file({ name: 'report-42.txt', mimeType: 'text/plain' }, 'All is well in the basement.\n');
}

/** @returns an archive with one file, as the backup node creates them */
async function archiveOf(name, content) {
  // Imported here, because `npm start` loads this file before it installs the dependencies.
  const { default: tar } = await import('tar-stream');
  const pack = tar.pack();
  pack.entry({ name }, content);
  pack.finalize();
  const chunks = [];
  for await (const chunk of pack) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}
