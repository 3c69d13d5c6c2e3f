/**
 * The supported versions of Node-RED and Node.js, and the one used by the tests. By default it is the project's own
 * Node-RED; an environment variable selects another, which is downloaded:
 *
 *     CLOUD_DRIVE_NODE_RED=5.0 npx mocha test/editor/picker_spec.ts
 */
import { installPackage, installNode } from './registry';

/** Exact versions, so that runs are reproducible. */
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

/** Paths of the installed programs. */
export interface InstalledPlatform {
  /** Path of the Node.js program. */
  node: string;
  /** Folder of the Node-RED package. */
  nodeRed: string;
}

export function platformName({ nodeRed, node }: Platform): string {
  return `Node-RED ${nodeRed} on Node ${node}`;
}

/** Downloads Node.js and Node-RED unless cached. */
export async function installPlatform({ nodeRed, node }: Platform): Promise<InstalledPlatform> {
  return { node: await installNode(node), nodeRed: await installPackage('node-red', nodeRed) };
}

/** @returns undefined for the project's own Node-RED @throws for an unknown version */
export async function selectedPlatform(): Promise<InstalledPlatform | undefined> {
  const version = process.env['CLOUD_DRIVE_NODE_RED'] ?? '';
  if (version === '') return undefined;
  const platform = PLATFORMS.find(({ nodeRed }) => `${nodeRed}.`.startsWith(`${version}.`));
  if (!platform)
    throw new Error(
      `unknown Node-RED version ${version}; supported: ${PLATFORMS.map(platformName).join(', ')}`,
    );
  return installPlatform(platform);
}

/** Downloads the platform before the tests, because it exceeds their timeout. */
export async function mochaGlobalSetup(): Promise<void> {
  await selectedPlatform();
}
