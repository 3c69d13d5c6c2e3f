/** The campaign: a drive, an adapter, and run after run of operations through faults. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalDrive, startLocalDrive } from '../local-drive';
import { CANARY } from '../support/canaries';
import { clientOf } from '../support/client';
import { FakeClock } from '../support/clock';
import { ScriptedService } from '../support/scripted-service';
import { clientAdapter } from './client-adapter';
import { chooseFaults } from './fault-kinds';
import { judge, snapshot } from './judge';
import {
  type Adapter,
  type Operation,
  type Outcome,
  type Scene,
  type Target,
  chooseOperation,
} from './operations';
import { Random } from './random';
import { Report } from './report';

export interface CampaignOptions {
  seed: number;
  runs: number;
  /** The first run; the others follow. A run comes out the same whatever was before it. */
  first?: number;
  /** What carries the operations out; the client itself if absent. */
  adapter?: (target: Target, clock: FakeClock) => Adapter | Promise<Adapter>;
  onRun?: (run: number, report: Report) => void;
}

/** ms of real time after which an operation counts as one without an ending. */
const WATCHDOG = 30_000;
const SILENCE = 100;
const OAUTH = { id: 'local-client', secret: CANARY.secret };

interface World {
  drive: LocalDrive;
  elsewhere: ScriptedService;
  clock: FakeClock;
  folder: string;
  large: Buffer;
}

export async function campaign(options: CampaignOptions): Promise<Report> {
  const report = new Report(options.seed);
  const world = await openWorld();
  const onUnhandled = (reason: unknown): void => report.unhandled(reason);
  process.on('unhandledRejection', onUnhandled);
  try {
    const first = options.first ?? 0;
    for (let run = first; run < first + options.runs; run++) {
      await oneRun(world, options, run, report);
      options.onRun?.(run, report);
    }
  } finally {
    process.off('unhandledRejection', onUnhandled);
    await world.drive.close();
    await world.elsewhere.close();
    await rm(world.folder, { recursive: true });
  }
  return report;
}

async function openWorld(): Promise<World> {
  const clock = new FakeClock();
  const drive = await startLocalDrive({
    token: 'the-judge',
    refreshToken: CANARY.refresh,
    clients: [OAUTH],
    clock,
    recorded: 0,
  });
  const elsewhere = await ScriptedService.start();
  elsewhere.on(() => ({ body: { id: 'elsewhere', files: [], ids: [], user: {} } }));
  const large = Buffer.alloc(5_600_000);
  const random = new Random(1);
  for (let at = 0; at < large.length; at += 4) large.writeInt32LE(random.between(0, 0x7fffffff), at);
  return { drive, elsewhere, clock, large, folder: await mkdtemp(join(tmpdir(), 'faults-')) };
}

async function oneRun(world: World, options: CampaignOptions, run: number, report: Report): Promise<void> {
  const { drive, clock } = world;
  const random = new Random(options.seed, run);
  const scene = await setScene(world, random, run);
  const secrets: string[] = [...Object.values(CANARY), 'upload_id', 'alt=media', 'fields='];
  const target: Target = {
    url: drive.url,
    client: OAUTH,
    refreshToken: CANARY.refresh,
    timeout: SILENCE,
    random: random.fraction,
    onToken: (token) => secrets.push(token),
  };
  const adapter = await (options.adapter ?? clientAdapter)(target, clock);
  report.runs += 1;
  try {
    const steps = random.between(1, 3);
    for (let step = 0; step < steps && scene.files.length > 0; step++) {
      await oneStep({ world, scene, random, adapter, report, run, secrets });
      await rm(join(scene.disk, 'target'), { force: true });
      const now = await snapshot(drive, scene.folder);
      scene.files = [...now].filter(([, { isFolder }]) => !isFolder).map(([id]) => id);
    }
  } finally {
    await adapter.close();
    await rm(scene.disk, { recursive: true });
    const judgeClient = clientOf(drive.url, { tokens: theJudge, clock });
    await judgeClient.client.delete(scene.folder);
    judgeClient.close();
  }
}

const theJudge = { get: () => Promise.resolve('the-judge'), renew: () => Promise.resolve('the-judge') };

async function setScene({ drive, folder: root, large }: World, random: Random, run: number): Promise<Scene> {
  const folder = await drive.files.addFolder(`run ${run}`);
  const names = ['first.bin', 'second.bin', "it's a third.bin"].slice(0, random.between(1, 3));
  const content = (each: Random): Buffer => {
    const isLarge = each.chance(0.12);
    const length = isLarge
      ? each.between(5_000_001, 5_500_000)
      : each.pick([0, 1, each.between(0, 5_000), each.between(0, 400_000)]);
    const bytes = large.subarray(each.between(0, 100_000)).subarray(0, length);
    return length < 100
      ? bytes
      : Buffer.concat([Buffer.from(CANARY.body), bytes.subarray(CANARY.body.length)]);
  };
  const files: string[] = [];
  for (const name of names)
    files.push(await drive.files.add({ name, parent: folder, content: content(random) }));
  const disk = join(root, String(run));
  await mkdir(disk);
  return { folder, files, names, disk, content };
}

interface Step {
  world: World;
  scene: Scene;
  random: Random;
  adapter: Adapter;
  report: Report;
  run: number;
  secrets: readonly string[];
}

async function oneStep({ world, scene, random, adapter, report, run, secrets }: Step): Promise<void> {
  const { drive, clock, elsewhere } = world;
  const operation = chooseOperation(random, scene);
  const before = await snapshot(drive, scene.folder);
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const chosen = Array.from({ length: random.between(0, 3) }, () =>
    chooseFaults({ random, operation: operation.kind, over, now: clock.now(), elsewhere: elsewhere.url }),
  );
  const added = chosen.map(({ name, faults }) => ({
    name,
    faults: faults.map((each) => drive.faults.add(each)),
  }));
  const outcome = await ending(adapter, operation);
  end();
  drive.faults.clear();
  const struck = added.map(({ name, faults }) => ({
    name,
    hits: faults.reduce((sum, { hits }) => sum + hits, 0),
  }));
  const after = await snapshot(drive, scene.folder);
  const lied = struck.some(({ name, hits }) => name === 'notFound' && hits > 0);
  const findings = await judge({ operation, outcome, before, after, disk: scene.disk, secrets, lied });
  for (const { url, rawHeaders, body } of elsewhere.seen.splice(0)) {
    const received = `${url} ${rawHeaders.join(' ')} ${body.toString('latin1')}`;
    const leaked = secrets.filter((secret) => received.includes(secret));
    findings.push(...leaked.map((what) => ({ problem: 'leaked' as const, what: `elsewhere: ${what}` })));
  }
  report.step({ run, operation, outcome, struck, findings });
}

async function ending(adapter: Adapter, operation: Operation): Promise<Outcome | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const watchdog = new Promise<undefined>(
    (resolve) => (timer = setTimeout(() => resolve(undefined), WATCHDOG)),
  );
  try {
    return await Promise.race([adapter.perform(operation), watchdog]);
  } finally {
    clearTimeout(timer);
  }
}
