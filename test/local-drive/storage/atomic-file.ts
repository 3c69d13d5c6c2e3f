import { open, rename } from 'node:fs/promises';

/** Replaces a file atomically: after a crash it has either the old or the new content. */
export async function writeFileAtomically(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
}
