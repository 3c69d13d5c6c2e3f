/** The programs with which users open archives without Node-RED. */
import { execFileSync, spawn } from 'node:child_process';
import type { Context } from 'mocha';

/** Skips the test, with a message, where a program isn't installed. */
export function needsProgram(test: Context, name: string, versionOption = '--version'): void {
  try {
    execFileSync(name, [versionOption], { stdio: 'ignore' });
  } catch {
    process.stdout.write(`      skipped: ${name} is not installed\n`);
    test.skip();
  }
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
