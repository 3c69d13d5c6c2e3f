/** The campaign: a drive, an adapter, and run after run of operations through faults. */
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import helper from 'node-red-node-test-helper';
import { CANARY } from '../support/canaries';
import type { FakeClock } from '../support/clock';
import { chooseFaults } from './choose-faults';
import { type Scene, chooseOperation } from './choose-operation';
import { clientAdapter } from './client-adapter';
import type { Given } from './fault-kinds';
import type { Finding } from './finding';
import { judge, leaked } from './judge';
import { nodeAdapter } from './node-adapter';
import type { Adapter, Interruption, Operation, Outcome, Target, Through } from './operations';
import { Random } from './random';
import { Report } from './report';
import { snapshot } from './snapshot';
import { located } from './ways';
import { OAUTH, type World, clearScene, closeWorld, openWorld, setScene } from './world';

export interface CampaignOptions {
  seed: number;
  runs: number;
  /** The first run; the others follow. A run comes out the same whatever was before it. */
  first?: number;
  through: Through;
  onRun?: (run: number, report: Report) => void;
}

/** ms of real time after which an operation counts as one without an ending. */
const WATCHDOG = 30_000;
const SILENCE = 100;
/** ms of a wait that isn't one for a turn. */
const LONG_WAIT = 1_000;
const REFRESH_MARK = '1//';
/** Beginnings of the drive's tokens, and parts of addresses that are nobody's business. */
const MARKS = [REFRESH_MARK, 'ya29.', 'upload_id', 'alt=media', 'fields='];
/**
 * Faults after which someone may have to sign in. A new refresh token comes once: where the answer with it is broken, or
 * too late on a busy machine, it is lost.
 */
const ENDS_SIGN_IN: readonly string[] = [
  'invalid_grant',
  'a new refresh token each time',
  'a new refresh token that is lost',
];
/** Faults by which a token is refused: twice in a row, the new one too, is believed for that once. */
const REFUSES_TOKEN: readonly string[] = ['authError', '401 for ever', 'access tokens that end'];
const HALVES: Readonly<Record<Through, Half>> = {
  client: { adapter: clientAdapter },
  nodes: { adapter: nodeAdapter, open: () => helper.startServer(), close: () => helper.stopServer() },
};

interface Half {
  adapter: (target: Target, clock: FakeClock) => Adapter;
  open?: () => Promise<void>;
  close?: () => Promise<void>;
}

export async function campaign(options: CampaignOptions): Promise<Report> {
  const report = new Report(options.seed, options.through);
  const half = HALVES[options.through];
  const world = await openWorld();
  const onUnhandled = (reason: unknown): void => report.unhandled(reason);
  process.on('unhandledRejection', onUnhandled);
  try {
    await half.open?.();
    const first = options.first ?? 0;
    for (let run = first; run < first + options.runs; run++) {
      await oneRun(world, options, run, report);
      options.onRun?.(run, report);
    }
  } finally {
    process.off('unhandledRejection', onUnhandled);
    await half.close?.();
    await closeWorld(world);
  }
  return report;
}

async function oneRun(world: World, options: CampaignOptions, run: number, report: Report): Promise<void> {
  const { drive, clock } = world;
  const { seed, through } = options;
  const random = new Random(seed, run);
  const refreshToken = await drive.signIn();
  const secrets = [...Object.values(CANARY), refreshToken, ...MARKS];
  const userDir = join(world.folder, `user ${run}`);
  await mkdir(userDir);
  const target: Target = {
    url: drive.url,
    client: OAUTH,
    refreshToken,
    timeout: SILENCE,
    // Of its own: how often it is asked is up to the network.
    random: new Random(seed, -1 - run).fraction,
    userDir,
  };
  const adapter = HALVES[through].adapter(target, clock);
  const runner: Runner = { world, random, adapter, report, run, secrets, through, mayEndSignIn: false };
  report.runs += 1;
  try {
    const steps = random.between(1, 3);
    for (let step = 0; step < steps; step++) await inScene(runner, step);
  } finally {
    const amiss = await adapter.close();
    report.afterwards(run, [
      ...amiss.map((what) => ({ problem: 'amiss' as const, what })),
      ...(await keptSecrets(userDir, secrets)),
    ]);
    await rm(userDir, { recursive: true });
    await drive.revokeAllGrants();
  }
}

/** Files outside of the credentials store. */
async function keptSecrets(userDir: string, secrets: readonly string[]): Promise<Finding[]> {
  // Too short for what is encrypted: it could be there by chance.
  const long = secrets.filter((secret) => secret !== REFRESH_MARK);
  const found = (await readdir(userDir)).map(async (name) => {
    const text = await readFile(join(userDir, name), 'latin1');
    return leaked(long, text, `in ${name}`);
  });
  return (await Promise.all(found)).flat();
}

/** A step has a scene of its own: what the service still does for one that was given up is not seen in the next. */
async function inScene(runner: Runner, step: number): Promise<void> {
  const { world, random, run } = runner;
  const scene = await setScene(world, random, `${run}-${step}`);
  try {
    await oneStep(runner, scene);
  } finally {
    await clearScene(world, scene);
  }
}

interface Runner {
  world: World;
  random: Random;
  adapter: Adapter;
  report: Report;
  run: number;
  secrets: readonly string[];
  through: Through;
  mayEndSignIn: boolean;
}

async function oneStep(runner: Runner, scene: Scene): Promise<void> {
  const { world, random, adapter, report, run, secrets, through } = runner;
  const { drive, clock, elsewhere } = world;
  const operation = chooseOperation(random, scene, through);
  const before = await snapshot(drive, scene.folder);
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const interrupt = (how: Interruption): void => adapter.interrupt(how);
  const given: Given = {
    ...{ random, operation: operation.kind, over, now: clock.now(), elsewhere: elsewhere.url, through },
    interrupt,
    interruptWait: (how) => (clock.onSleep = (ms) => ms >= LONG_WAIT && interrupt(how)),
    expireTokens: () => drive.expireAccessTokens(),
  };
  const chosen = Array.from({ length: random.between(0, 3) }, () => chooseFaults(given));
  const added = chosen.map(({ name, faults }) => ({
    name,
    faults: faults.map((each) => drive.faults.add(each)),
  }));
  const outcome = await ending(adapter, operation);
  end();
  drive.faults.clear();
  clock.onSleep = () => undefined;
  const struck = added.map(({ name, faults }) => ({
    name,
    hits: faults.reduce((sum, { hits }) => sum + hits, 0),
  }));
  const hits = (names: readonly string[]): number =>
    struck.filter(({ name }) => names.includes(name)).reduce((sum, each) => sum + each.hits, 0);
  runner.mayEndSignIn ||= hits(ENDS_SIGN_IN) > 0;
  const after = await snapshot(drive, scene.folder);
  const mayEndSignIn = runner.mayEndSignIn || hits(REFUSES_TOKEN) > 1;
  const lied = hits(['notFound']) > 0;
  const { disk } = scene;
  const seen = { outcome, before, after, disk, secrets, lied, mayEndSignIn };
  const findings = await judge({ ...seen, operation: located(operation, after) });
  for (const { url, rawHeaders, body } of elsewhere.seen.splice(0)) {
    const received = `${url} ${rawHeaders.join(' ')} ${body.toString('latin1')}`;
    findings.push(...leaked(secrets, received, 'elsewhere'));
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
