/** What is on the demo's drive at its first start: three older archives to rotate, and a report to find. */

const FOLDER = 'application/vnd.google-apps.folder';

/** @param drive address of the local drive */
export async function seedDrive({ drive, accessToken }) {
  const create = async (metadata, content = '') => {
    const boundary = 'part-of-the-demo';
    const part = (type, body) => `--${boundary}\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
    const response = await fetch(`${drive}/upload/drive/v3/files?uploadType=multipart`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${accessToken}`,
        'Content-Type': `multipart/related; boundary=${boundary}`,
      },
      body: `${part('application/json; charset=UTF-8', JSON.stringify(metadata))}${part(metadata.mimeType ?? 'text/plain', content)}--${boundary}--`,
    });
    if (!response.ok) throw new Error(`The local drive answered ${response.status} to an upload.`);
    return (await response.json()).id;
  };
  const backups = await create({ name: 'Backups', mimeType: FOLDER });
  const machine = await create({ name: 'demo', mimeType: FOLDER, parents: [backups] });
  for (const number of [1, 2, 3]) {
    const name = `archive-2026-01-0${number}-000${number}.tar.gz`;
    await create(
      { name, mimeType: 'application/gzip', parents: [machine] },
      `what was saved on day ${number}`,
    );
  }
  await create({ name: 'report-42.txt', mimeType: 'text/plain' }, 'All is well in the cellar.\n');
}
