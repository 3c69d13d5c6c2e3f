/** The built package, as users install it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(__dirname, '../../..');

/** Builds the package if a source changed since the last build. `npm test` builds it before the tests. */
export function ensureBuilt(): void {
  const built = path.join(ROOT, 'dist/nodes/account/account.js');
  const sources = ['src', 'nodes', 'icons'].map((folder) => path.join(ROOT, folder));
  if (existsSync(built) && statSync(built).mtimeMs >= Math.max(...sources.map(latestChange))) return;
  execFileSync(process.execPath, [path.join(ROOT, 'scripts/build.mjs')], { stdio: 'inherit' });
}

function latestChange(folder: string): number {
  if (!existsSync(folder)) return 0;
  const entries = readdirSync(folder, { withFileTypes: true });
  return Math.max(
    0,
    ...entries.map((entry) => {
      const file = path.join(folder, entry.name);
      return entry.isDirectory() ? latestChange(file) : statSync(file).mtimeMs;
    }),
  );
}
