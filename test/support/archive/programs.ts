/** The programs with which users open archives without Node-RED. */
import { spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';

/** Programs, and the Debian packages that contain them. */
const PACKAGES: Readonly<Record<string, string>> = {
  ...{ age: 'age', tar: 'tar', 'mkfs.exfat': 'exfatprogs', 'mount.exfat-fuse': 'exfat-fuse' },
  ...{ restic: 'restic', rclone: 'rclone', zstd: 'zstd', gzip: 'gzip', bsdtar: 'libarchive-tools' },
  ...{ python3: 'python3', script: 'bsdutils', sqlite3: 'sqlite3' },
  ...{ 'mkfs.ntfs': 'ntfs-3g', 'mount.ntfs-3g': 'ntfs-3g' },
};
/** ms; other test processes may be installing programs, too. */
const INSTALL_TIMEOUT = 120_000;
/** apt-get fails while another one runs. */
const APT_LOCK = path.join(tmpdir(), 'cloud-drive-tests-apt.lock');
const APT = ['-q', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=10'];
const attempted = new Set<string>();

/** Installs a missing program where that is possible: as root on Debian. Otherwise skips the test, with a message. */
export function needsProgram(test: Context, name: string, versionOption = '--version'): void {
  if (isInstalled(name, versionOption)) return;
  const debianPackage = PACKAGES[name];
  if (debianPackage !== undefined && process.geteuid?.() === 0 && !attempted.has(name)) {
    attempted.add(name);
    test.timeout(test.timeout() + 2 * INSTALL_TIMEOUT);
    install(debianPackage);
    if (isInstalled(name, versionOption)) return;
  }
  process.stdout.write(`      skipped: ${name} is not installed\n`);
  test.skip();
}

function isInstalled(name: string, versionOption: string): boolean {
  const { error, status } = spawnSync(name, [versionOption], { stdio: 'ignore' });
  // Some programs don't know the option, or fail after it.
  return error === undefined && (status === 0 || name.startsWith('m'));
}

function install(name: string): void {
  const options = { stdio: 'ignore', timeout: INSTALL_TIMEOUT } as const;
  spawnSync('flock', [APT_LOCK, 'apt-get', 'update', ...APT], options);
  const install = ['install', '-y', '--no-install-recommends', ...APT, name];
  spawnSync('flock', [APT_LOCK, 'apt-get', ...install], options);
}

/** Runs a program that asks for a passphrase at a terminal, as `age -d` does. */
export async function runWithPassphrase(command: string, passphrase: string): Promise<void> {
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  let prompts = 0;
  terminal.stdout.on('data', (data: Buffer) => {
    output += data.toString();
    const asked = output.match(/passphrase[^\n]*:/gi)?.length ?? 0;
    for (; prompts < asked; prompts++) terminal.stdin.write(`${passphrase}\n`);
  });
  const code = await new Promise((resolve) => terminal.on('close', resolve));
  if (code !== 0) throw new Error(`${command} failed: ${output}`);
}
