/** Fills the demo's drive at its first start: twelve older archives for the backup examples, a report and an inbox. */

const FOLDER = 'application/vnd.google-apps.folder';

/** @param drive URL of the local drive */
export async function seedDrive({ drive, accessToken }) {
  const post = async (path, type, body) => {
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': type };
    const response = await fetch(`${drive}${path}`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`The local drive responded ${response.status} to ${path}.`);
    return (await response.json()).id;
  };
  const folder = (name, ...parents) =>
    post('/drive/v3/files', 'application/json', JSON.stringify({ name, mimeType: FOLDER, parents }));
  const file = (metadata, content) => {
    const part = (type, body) => `--demo\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
    const body = `${part('application/json', JSON.stringify(metadata))}${part(metadata.mimeType, content)}--demo--`;
    return post('/upload/drive/v3/files?uploadType=multipart', 'multipart/related; boundary=demo', body);
  };
  const machine = await folder('pi', await folder('Backups'));
  for (let day = 1; day <= 12; day += 1) {
    const two = String(day).padStart(2, '0');
    const name = `archive-2026-01-${two}_0230-00${two}.tar.gz`;
    await file({ name, mimeType: 'application/gzip', parents: [machine] }, `what was saved on day ${day}`);
  }
  await folder('Inbox');
  await file({ name: 'report-42.txt', mimeType: 'text/plain' }, 'All is well in the cellar.\n');
}
