/** Starts the service of the benchmarks. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { certificate } from '../../test/support/http/certificates';

export interface BenchDrive {
  /** Without a trailing slash. */
  url: string;
  /** Environment variables with which clients trust its certificate. */
  env: Record<string, string>;
  /** Computes the checksums of a content in advance. @param id its size in bytes */
  prepare(id: string): Promise<void>;
  /** Adds a file on disk. @param id doesn't start with a digit */
  add(id: string, file: string): Promise<void>;
  /** Requests since the last call, and the bytes of file contents that were sent. */
  traffic(): Promise<{ requests: number; bytes: number }>;
  close(): Promise<void>;
}

export async function startBenchDrive(): Promise<BenchDrive> {
  return startWith([], {});
}

/** Starts the service with TLS and a certificate of a private CA. @param folder for the certificate files */
export async function startTlsBenchDrive(folder: string): Promise<BenchDrive> {
  const ca = certificate({ name: 'bench CA' });
  const { key, cert } = certificate({ name: 'bench drive', hosts: ['127.0.0.1', 'localhost'], issuer: ca });
  const files = { 'key.pem': key, 'cert.pem': cert, 'ca.pem': ca.cert };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return startWith([path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')], {
    NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem'),
    CURL_CA_BUNDLE: path.join(folder, 'ca.pem'),
  });
}

async function startWith(args: readonly string[], env: Record<string, string>): Promise<BenchDrive> {
  const child = spawn(process.execPath, [path.join(__dirname, 'drive.cjs'), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, 'line')) as [string];
  const ask = async (text: string): Promise<string> => {
    const answer = once(lines, 'line');
    child.stdin.write(`${text}\n`);
    return ((await answer) as [string])[0];
  };
  const order = async (text: string): Promise<void> => void (await ask(text));
  return {
    url: line.replace('ready ', ''),
    env,
    prepare: order,
    add: (id, file) => order(`${id} ${file}`),
    traffic: async () => {
      const [requests = 0, bytes = 0] = (await ask('traffic')).split(' ').map(Number);
      return { requests, bytes };
    },
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
