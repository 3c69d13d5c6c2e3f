/** The programs that the package is compared with. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const BENCH = path.join(__dirname, '..');
const VENDOR = '@googleapis/drive';

/** Installs the peers on first use. @returns a remark if that failed */
export function installPeers(): string | undefined {
  if (hasVendorsClient()) return undefined;
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock'];
  const { status } = spawnSync(command, args, {
    cwd: BENCH,
    stdio: 'ignore',
    shell: process.platform === 'win32',
  });
  if (status === 0 && hasVendorsClient()) return undefined;
  return `${VENDOR} is left out: it is not in bench/node_modules, and npm could not install it (is there a network?).`;
}

export function hasVendorsClient(): boolean {
  return existsSync(path.join(BENCH, 'node_modules', VENDOR, 'package.json'));
}

/** Versions of all installed peers. */
export function versions(): Record<string, string> {
  const found: Record<string, string | undefined> = {
    axios: packageVersion(path.join(BENCH, '../node_modules/axios')),
    [VENDOR]: packageVersion(path.join(BENCH, 'node_modules', VENDOR)),
    'node-red': packageVersion(path.join(BENCH, '../node_modules/node-red')),
    curl: programVersion('curl', ['--version'], /^curl (\S+)/),
    rclone: programVersion('rclone', ['version'], /^rclone v?(\S+)/),
    restic: programVersion('restic', ['version'], /^restic (\S+)/),
  };
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function packageVersion(folder: string): string | undefined {
  const manifest = path.join(folder, 'package.json');
  if (!existsSync(manifest)) return undefined;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

export function hasProgram(name: string, args: readonly string[] = ['--version']): boolean {
  return programVersion(name, args, /(.)/) !== undefined;
}

function programVersion(name: string, args: readonly string[], pattern: RegExp): string | undefined {
  try {
    return pattern.exec(
      execFileSync(name, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )?.[1];
  } catch {
    return undefined;
  }
}
