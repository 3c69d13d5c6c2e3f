/**
 * The Node-REDs that the package is shown to work on, each with the Node.js it needs, and the one that a run of tests is
 * to use. That is the project's own, without a download, but where the environment names another:
 *
 *     CLOUD_DRIVE_NODE_RED=5.0 npx mocha test/editor/picker_spec.ts
 */
import { installPackage, installNode } from './registry';

/** Exact versions: a run of today and one of next year try the same. */
export interface Platform {
  nodeRed: string;
  node: string;
}

export const PLATFORMS: readonly Platform[] = [
  { nodeRed: '3.1.15', node: '18.20.8' },
  { nodeRed: '4.1.15', node: '20.20.2' },
  { nodeRed: '5.0.7', node: '22.23.3' },
  { nodeRed: '5.0.7', node: '24.21.0' },
];

/** Where the two are on this machine. */
export interface InstalledPlatform {
  /** Program. */
  node: string;
  /** Folder of the package. */
  nodeRed: string;
}

export function platformName({ nodeRed, node }: Platform): string {
  return `Node-RED ${nodeRed} on Node ${node}`;
}

/** Fetches what isn't here yet. */
export async function installPlatform({ nodeRed, node }: Platform): Promise<InstalledPlatform> {
  return { node: await installNode(node), nodeRed: await installPackage('node-red', nodeRed) };
}

/** @returns undefined for the project's own. @throws where it is none of the above */
export async function selectedPlatform(): Promise<InstalledPlatform | undefined> {
  const wanted = process.env['CLOUD_DRIVE_NODE_RED'] ?? '';
  if (wanted === '') return undefined;
  const platform = PLATFORMS.find(({ nodeRed }) => `${nodeRed}.`.startsWith(`${wanted}.`));
  if (!platform)
    throw new Error(`no such Node-RED: ${wanted}; there are ${PLATFORMS.map(platformName).join(', ')}`);
  return installPlatform(platform);
}

/** For mocha, before any test: what has to be fetched takes longer than a test may. */
export async function mochaGlobalSetup(): Promise<void> {
  await selectedPlatform();
}
