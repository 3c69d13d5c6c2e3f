/** What the package is shown to work on. Exact versions: a run of today and one of next year try the same. */
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

export function nameOf({ nodeRed, node }: Platform): string {
  return `Node-RED ${nodeRed} on Node ${node}`;
}
