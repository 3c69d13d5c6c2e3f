/**
 * A day of many machines with the same flow: a list every hour, and a backup at night into a folder of its own on
 * a shared drive. Requests are real, against the local drive; only the time is simulated. The tasks of all machines run
 * one after the other, in the order of their times.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { bundleClient } from './bundled-client';
import { type DayCounts, DayCounter } from './day-counter';
import { type PlannedFault, addFault, faultOf } from './faults';
import { Machine, type MachineOptions } from './machine';

export interface DayOptions {
  machines: number;
  /** Seconds. */
  jitter: number;
  withFaults?: boolean;
}

export interface DayResult extends DayCounts {
  /** How often each fault was applied. */
  faults: Map<string, number>;
  /** Names of the archives in the folder of each machine. */
  archives: string[][];
}

const HOUR = 3_600_000;
const BACKUP_AT = 2.5 * HOUR;
/** Bytes. A larger archive is uploaded in a session. */
const MULTIPART_LIMIT = 5 * 1024 * 1024;

export async function simulateDay({ machines, jitter, withFaults = false }: DayOptions): Promise<DayResult> {
  let current: Machine | undefined;
  const drive = await startLocalDrive({ clock: { now: () => current?.clock.now() ?? 0 } });
  const sources = await createSources();
  const src = await bundleClient();
  const http = new src.HttpClient({ timeout: 10_000 });
  const counter = new DayCounter();
  const faults = new Map<string, number>();
  try {
    const fleet = await createFleet(drive, machines, { src, http });
    for (const task of schedule(fleet, jitter)) {
      const { machine } = task;
      current = machine;
      machine.wait(task.at);
      const planned = withFaults ? faultOf(machine.number) : undefined;
      const isDue = planned && (planned.duringBackup ? task.isBackup : task.at === machine.listsAt(5));
      const count = isDue && addFault(drive, planned);
      await run(task, sources, planned);
      if (count) faults.set(planned.title, (faults.get(planned.title) ?? 0) + count());
      counter.add(machine.number, drive.requests.all);
      drive.requests.clear();
    }
    const archives = fleet.map(({ folderId }) => drive.files.names(folderId));
    return { ...counter.result(), faults, archives };
  } finally {
    http.close();
    await drive.close();
    await rm(sources, { recursive: true });
  }
}

/** @returns a folder with a small and a large source */
async function createSources(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fleet-'));
  for (const [name, content] of [
    ['small', 'data'],
    ['large', randomBytes(MULTIPART_LIMIT + 1_000)],
  ] as const) {
    await mkdir(path.join(folder, name));
    await writeFile(path.join(folder, name, 'data.bin'), content);
  }
  return folder;
}

/** The machines share one service account. */
async function createFleet(
  drive: LocalDrive,
  machines: number,
  { src, http }: Pick<MachineOptions, 'src' | 'http'>,
): Promise<Machine[]> {
  const json = drive.addServiceAccount();
  const key = src.parseServiceAccountKey(JSON.stringify(json));
  const driveId = await drive.files.addSharedDrive('Fleet');
  await drive.files.share(driveId, json.client_email, 'fileOrganizer');
  const fleet: Machine[] = [];
  for (let number = 0; number < machines; number++) {
    const folderId = await drive.files.addFolder(`machine-${number}`, driveId);
    fleet.push(new Machine({ src, number, folderId, key, driveId, http }));
  }
  return fleet;
}

interface Task {
  /** ms since the start of the day. */
  at: number;
  machine: Machine;
  isBackup: boolean;
}

/** Machines list at any second of the hour, but all make their backups at the same time, plus a random delay. */
function schedule(fleet: readonly Machine[], jitter: number): Task[] {
  const tasks = fleet.flatMap((machine) => {
    const lists = Array.from({ length: 24 }, (_, hour) => ({ at: machine.listsAt(hour), isBackup: false }));
    const delay = fraction(machine.number) * jitter * 1_000;
    const backup = { at: BACKUP_AT + delay, isBackup: true };
    return [...lists, backup].map((task) => ({ ...task, machine }));
  });
  return tasks.sort((a, b) => a.at - b.at);
}

/** Spread evenly and repeatable, in place of a random number. */
function fraction(machine: number): number {
  return (machine * 0.618_033_988_75) % 1;
}

function run({ machine, isBackup }: Task, sources: string, planned?: PlannedFault): Promise<void> {
  if (!isBackup) return machine.list();
  return machine.backup(path.join(sources, planned?.isLarge ? 'large' : 'small'));
}
