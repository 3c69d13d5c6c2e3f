/** The programs that tests use, and skipped tests. mocha loads this file itself, to install what is missing. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Context } from 'mocha';

declare module 'mocha' {
  interface Context {
    skip(reason: string): never;
  }
}

/** Programs that not every system has, and the Debian packages that contain them. */
const PACKAGES = {
  ...{ age: 'age', tar: 'tar', 'mkfs.exfat': 'exfatprogs', 'mount.exfat-fuse': 'exfat-fuse' },
  ...{ restic: 'restic', zstd: 'zstd', gzip: 'gzip', bsdtar: 'libarchive-tools', 'mkfs.ext4': 'e2fsprogs' },
  ...{ 'mkfs.vfat': 'dosfstools', fusefat: 'fusefat' },
  ...{ python3: 'python3', script: 'bsdutils', sqlite3: 'sqlite3' },
  ...{ 'mkfs.ntfs': 'ntfs-3g', 'mount.ntfs-3g': 'ntfs-3g', 'mount.lowntfs-3g': 'ntfs-3g' },
} as const;
export type Program = keyof typeof PACKAGES;

const IS_CI = process.env['CI'] === 'true';
/** Of a network that doesn't answer, and of another apt-get. */
const APT = [
  '-q',
  '-o',
  'Acquire::Retries=0',
  '-o',
  'Acquire::http::Timeout=10',
  '-o',
  'DPkg::Lock::Timeout=60',
];

/** Installs what is missing, once before all tests: as root on Debian, and in CI. */
export function mochaGlobalSetup(): void {
  const missing = (Object.keys(PACKAGES) as Program[]).filter((name) => !isInstalled(name));
  const isRoot = process.geteuid?.() === 0;
  if (missing.length === 0 || !isInstalled('apt-get') || !(isRoot || IS_CI)) return;
  process.stdout.write(`installing ${missing.join(', ')}\n`);
  const packages = new Set(missing.map((name) => PACKAGES[name]));
  for (const command of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const [program = '', ...args] = [...(isRoot ? [] : ['sudo', '-n']), 'apt-get', ...APT, ...command];
    spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

function isInstalled(name: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.some((folder) => existsSync(path.join(folder, name)));
}

/** Skips the test if a program is missing. Fails in CI, where nobody would notice. */
export function needsProgram(test: Context, name: Program): void {
  if (isInstalled(name)) return;
  if (IS_CI) throw new Error(`${name} is not installed, and apt-get can’t install it`);
  test.skip(`${name} is not installed`);
}

const { skip } = Context.prototype as { skip: (this: Context, reason: string) => never };

/** Appends the reason to the title, as the only property of a test that reaches the report from another process. */
Context.prototype.skip = function (this: Context, reason?: string): never {
  const { test, currentTest } = this;
  const addReason = (skipped: Mocha.Test): void => void (skipped.title += `: ${reason ?? 'no reason given'}`);
  if (test?.title.startsWith('"before all"')) test.parent?.eachTest(addReason);
  else if (currentTest ?? test) addReason((currentTest ?? test) as Mocha.Test);
  return skip.call(this, '');
};

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
