/** Runs the campaign: operations with faults, on a drive and through an adapter. */
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import helper from 'node-red-node-test-helper';
import { CANARY } from '../support/canaries';
import type { FakeClock } from '../support/clock';
import { chooseFaults } from './choose-faults';
import { type StepFixture, chooseOperation } from './choose-operation';
import { clientAdapter } from './client-adapter';
import type { FaultContext } from './fault-kinds';
import type { Finding } from './finding';
import { checkOutcome, findLeaks } from './oracle';
import { nodeAdapter } from './node-adapter';
import type { Adapter, Interruption, Operation, Outcome, AdapterOptions, Layer } from './operations';
import { Random } from '../support/random';
import { CampaignReport } from './report';
import { snapshot } from './snapshot';
import { withFolderId } from './folder-paths';
import {
  CLIENT,
  type CampaignEnv,
  removeStepFixture,
  closeEnv,
  openEnv,
  createStepFixture,
} from './campaign-env';

export interface CampaignOptions {
  seed: number;
  runs: number;
  /** Number of the first run. Runs are independent of each other. */
  first?: number;
  layer: Layer;
  /** Milliseconds of real time after which it ends and reports a problem. No limit by default. */
  limit?: number;
  onRun?: (run: number, report: CampaignReport) => void;
}

/** Milliseconds of real time after which an operation counts as having no result. */
const STEP_TIMEOUT = 120_000;
const IDLE_TIMEOUT = 100;
/** Minimum milliseconds of a retry wait, as opposed to rate limiting. */
const RETRY_WAIT = 1_000;
const REFRESH_TOKEN_PREFIX = '1//';
/** Prefixes of tokens, and parts of URLs that must not be visible. */
const SECRET_PATTERNS = [REFRESH_TOKEN_PREFIX, 'ya29.', 'upload_id', 'alt=media', 'fields='];
/**
 * Faults that may end the sign-in. A rotated refresh token is lost if its response is interrupted, or too late on a
 * busy machine.
 */
const ENDS_SIGN_IN: readonly string[] = [
  'invalid_grant',
  'rotated refresh token',
  'lost rotated refresh token',
];
/** Faults that reject an access token. If the new token is rejected too, that operation may require a sign-in. */
const REFUSES_TOKEN: readonly string[] = ['authError', '401 every time', 'expired access tokens'];
const LAYERS: Readonly<Record<Layer, LayerSetup>> = {
  client: { adapter: clientAdapter },
  nodes: { adapter: nodeAdapter, open: () => helper.startServer(), close: () => helper.stopServer() },
};

interface LayerSetup {
  adapter: (target: AdapterOptions, clock: FakeClock) => Adapter;
  open?: () => Promise<void>;
  close?: () => Promise<void>;
}

export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const report = new CampaignReport(options.seed, options.layer);
  const half = LAYERS[options.layer];
  const deadline = performance.now() + (options.limit ?? Infinity);
  const env = await openEnv();
  const onUnhandled = (reason: unknown): void => report.addUnhandledRejection(reason);
  process.on('unhandledRejection', onUnhandled);
  try {
    await half.open?.();
    const first = options.first ?? 0;
    for (let run = first; run < first + options.runs; run++) {
      if (performance.now() > deadline) {
        report.addFindings(run, [{ problem: 'no result', what: 'the limit of the campaign was reached' }]);
        break;
      }
      await runOnce(env, { ...options, deadline }, run, report);
      options.onRun?.(run, report);
    }
  } finally {
    process.off('unhandledRejection', onUnhandled);
    await half.close?.();
    await closeEnv(env);
  }
  return report;
}

async function runOnce(
  env: CampaignEnv,
  options: CampaignOptions & { deadline: number },
  run: number,
  report: CampaignReport,
): Promise<void> {
  const { drive, clock } = env;
  const { seed, layer, deadline } = options;
  const random = new Random(seed, run);
  const refreshToken = await drive.signIn();
  const secrets = [...Object.values(CANARY), refreshToken, ...SECRET_PATTERNS];
  const userDir = join(env.folder, `user ${run}`);
  await mkdir(userDir);
  const target: AdapterOptions = {
    url: drive.url,
    client: CLIENT,
    refreshToken,
    timeout: IDLE_TIMEOUT,
    // A separate generator, because the number of calls depends on the network.
    random: new Random(seed, -1 - run).fraction,
    userDir,
  };
  const adapter = LAYERS[layer].adapter(target, clock);
  const mayRequireSignIn = false;
  const state: RunState = { env, random, adapter, report, run, secrets, layer, deadline, mayRequireSignIn };
  report.runs += 1;
  try {
    const steps = random.between(1, 3);
    for (let step = 0; step < steps && performance.now() < deadline; step++)
      await runStepInFixture(state, step);
  } finally {
    const violations = await adapter.close();
    report.addFindings(run, [
      ...violations.map((what) => ({ problem: 'contract violation' as const, what })),
      ...(await findStoredSecrets(userDir, secrets)),
    ]);
    await rm(userDir, { recursive: true });
    await drive.revokeAllGrants();
  }
}

/** Searches the files outside the credentials store for secrets. */
async function findStoredSecrets(userDir: string, secrets: readonly string[]): Promise<Finding[]> {
  // Encrypted data could contain the short prefix by chance.
  const long = secrets.filter((secret) => secret !== REFRESH_TOKEN_PREFIX);
  const found = (await readdir(userDir)).map(async (name) => {
    const text = await readFile(join(userDir, name), 'latin1');
    return findLeaks(long, text, `in ${name}`);
  });
  return (await Promise.all(found)).flat();
}

/** Each step has its own fixture, because the service may still process requests of an abandoned one. */
async function runStepInFixture(state: RunState, step: number): Promise<void> {
  const { env, random, run } = state;
  const fixture = await createStepFixture(env, random, `${run}-${step}`);
  try {
    await runStep(state, fixture);
  } finally {
    await removeStepFixture(env, fixture);
  }
}

interface RunState {
  env: CampaignEnv;
  random: Random;
  adapter: Adapter;
  report: CampaignReport;
  run: number;
  secrets: readonly string[];
  layer: Layer;
  /** Of the campaign, by `performance.now()`. */
  deadline: number;
  mayRequireSignIn: boolean;
}

async function runStep(state: RunState, fixture: StepFixture): Promise<void> {
  const { env, random, adapter, report, run, secrets, layer } = state;
  const { drive, clock, otherOrigin } = env;
  const operation = chooseOperation(random, fixture, layer);
  const before = await snapshot(drive, fixture.folder);
  let end = (): void => undefined;
  const stepEnd = new Promise<void>((resolve) => (end = resolve));
  const interrupt = (how: Interruption): void => adapter.interrupt(how);
  const context: FaultContext = {
    ...{
      random,
      operation: operation.kind,
      stepEnd,
      now: clock.now(),
      otherOriginUrl: otherOrigin.url,
      layer,
    },
    interrupt,
    interruptRetryWait: (how) => (clock.onSleep = (ms) => ms >= RETRY_WAIT && interrupt(how)),
    expireTokens: () => drive.expireAccessTokens(),
  };
  const kinds = Array.from({ length: random.between(0, 3) }, () => chooseFaults(context));
  const added = kinds.map(({ name, faults }) => ({
    name,
    faults: faults.map((each) => drive.faults.add(each)),
  }));
  const timeout = Math.min(STEP_TIMEOUT, state.deadline - performance.now());
  const outcome = await outcomeBeforeTimeout(adapter, operation, timeout);
  end();
  drive.faults.clear();
  clock.onSleep = () => undefined;
  const injected = added.map(({ name, faults }) => ({
    name,
    hits: faults.reduce((sum, { hits }) => sum + hits, 0),
  }));
  const hits = (names: readonly string[]): number =>
    injected.filter(({ name }) => names.includes(name)).reduce((sum, each) => sum + each.hits, 0);
  state.mayRequireSignIn ||= hits(ENDS_SIGN_IN) > 0;
  const after = await snapshot(drive, fixture.folder);
  const mayRequireSignIn = state.mayRequireSignIn || hits(REFUSES_TOKEN) > 1;
  const sawFalseNotFound = hits(['notFound']) > 0;
  const { disk } = fixture;
  const applied = injected.reduce((sum, each) => sum + each.hits, 0);
  const observed = { sawFalseNotFound, mayRequireSignIn, faults: applied };
  const input = { outcome, before, after, disk, secrets, ...observed };
  const findings = await checkOutcome({ ...input, operation: withFolderId(operation, after) });
  for (const { url, rawHeaders, body } of otherOrigin.requests.splice(0)) {
    const received = `${url} ${rawHeaders.join(' ')} ${body.toString('latin1')}`;
    findings.push(...findLeaks(secrets, received, 'elsewhere'));
  }
  report.addStep({ run, operation, outcome, faults: injected, findings });
}

async function outcomeBeforeTimeout(
  adapter: Adapter,
  operation: Operation,
  ms: number,
): Promise<Outcome | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const watchdog = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  try {
    return await Promise.race([adapter.run(operation), watchdog]);
  } finally {
    clearTimeout(timer);
  }
}
