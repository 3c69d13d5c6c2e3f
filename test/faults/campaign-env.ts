/** The environment of the campaign: a drive, a second origin that must never receive a token, a disk, and fixtures. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CANARY } from '../support/canaries';
import { createTestClient } from '../support/client/test-client';
import { FakeClock } from '../support/clock';
import { ScriptedService } from '../support/http/scripted-service';
import type { StepFixture } from './choose-operation';
import { Random } from '../support/random';

/** Maximum content size in bytes. */
const MAX_CONTENT = 12_000_000;
export const CLIENT = { id: 'local-client', secret: CANARY.secret };

export interface CampaignEnv {
  drive: LocalDrive;
  otherOrigin: ScriptedService;
  clock: FakeClock;
  folder: string;
  large: Buffer;
}

export async function openEnv(): Promise<CampaignEnv> {
  const clock = new FakeClock();
  const drive = await startLocalDrive({
    token: 'oracle-token',
    clients: [CLIENT],
    clock,
    maxRecordedRequests: 0,
  });
  const otherOrigin = await ScriptedService.start();
  otherOrigin.onRequest(() => ({ body: { id: 'elsewhere', files: [], ids: [], user: {} } }));
  const large = Buffer.alloc(MAX_CONTENT + 100_000);
  const random = new Random(1);
  for (let at = 0; at < large.length; at += 4) large.writeInt32LE(random.between(0, 0x7fffffff), at);
  return { drive, otherOrigin, clock, large, folder: await mkdtemp(join(tmpdir(), 'faults-')) };
}

export async function closeEnv({ drive, otherOrigin, folder }: CampaignEnv): Promise<void> {
  await drive.close();
  await otherOrigin.close();
  await rm(folder, { recursive: true });
}

export async function createStepFixture(
  { drive, folder: root, large }: CampaignEnv,
  random: Random,
  name: string,
): Promise<StepFixture> {
  const folder = await drive.files.addFolder(name);
  const names = ['first.bin', 'second.bin', "it's a third.bin"].slice(0, random.between(1, 3));
  const randomContent = (each: Random): Buffer => {
    const isLarge = each.chance(0.12);
    const length = isLarge
      ? each.between(5_000_001, each.chance(0.1) ? MAX_CONTENT : 5_500_000)
      : each.pick([0, 1, each.between(0, 5_000), each.between(0, 400_000)]);
    const bytes = large.subarray(each.between(0, 100_000)).subarray(0, length);
    return length < 100
      ? bytes
      : Buffer.concat([Buffer.from(CANARY.body), bytes.subarray(CANARY.body.length)]);
  };
  const files: string[] = [];
  for (const name of names)
    files.push(await drive.files.add({ name, parent: folder, content: randomContent(random) }));
  const folders: string[] = [];
  for (let number = random.between(0, 2); number > 0; number--)
    folders.push(await drive.files.addFolder(`folder ${number}`, folder));
  for (const parent of folders)
    for (const name of names)
      if (random.chance(0.6)) await drive.files.add({ name, parent, content: 'same name' });
  const trashed = await drive.files.add({
    name: random.pick([...names, 'trashed.bin']),
    parent: folder,
    content: randomContent(random),
    trashed: true,
  });
  const backups = await addBackups(drive, random, folder);
  const disk = join(root, name);
  await mkdir(disk);
  const nameOf = (id: string): string | undefined => drive.files.find(id)?.name;
  return { folder, path: `/${name}`, files, names, folders, trashed, backups, nameOf, disk, randomContent };
}

/** Days before and after the start of a week, a month and a year. */
const DAYS = [
  '2023-12-31',
  '2024-01-01',
  '2024-04-28',
  '2024-04-29',
  '2024-05-01',
  '2024-05-02',
  '2024-05-03',
];

/** Adds files of random days, whose modifiedTime differs from the date in their name. */
async function addBackups(drive: LocalDrive, random: Random, parent: string): Promise<string> {
  const folder = await drive.files.addFolder('backups', parent);
  const name = (): string => `backup-${random.pick(DAYS)}T0${random.between(0, 9)}-00.tar`;
  const names = new Set(Array.from({ length: random.between(2, 6) }, name));
  for (const each of [...names, 'backup.tar', 'other-2024-05-01.tar']) {
    const modifiedTime = Date.parse(`${random.pick(DAYS)}T00:00Z`) + random.between(0, 23) * 3_600_000;
    await drive.files.add({ name: each, parent: folder, content: each, modifiedTime });
  }
  return folder;
}

const oracleTokens = {
  get: () => Promise.resolve('oracle-token'),
  renew: () => Promise.resolve('oracle-token'),
};

export async function removeStepFixture(
  { drive, clock }: CampaignEnv,
  { folder, disk }: StepFixture,
): Promise<void> {
  await rm(disk, { recursive: true });
  const oracle = createTestClient(drive.url, { tokens: oracleTokens, clock });
  await oracle.client.delete(folder);
  oracle.close();
}
