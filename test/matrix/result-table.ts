import { type Platform, platformName } from '../support/run/platforms';
import { textTable } from '../support/text-table';

/** The results on one platform; absent values were not reached. */
export interface PlatformResult {
  platform: Platform;
  nodes?: number;
  icons?: number;
  languages?: number;
  help?: number;
  examples?: number;
  round?: boolean;
  redeploy?: boolean;
  sync?: boolean;
  requests?: boolean;
  serviceAccount?: boolean;
  files?: number;
  stop?: boolean;
}

const COLUMNS: readonly [Exclude<keyof PlatformResult, 'platform'>, string][] = [
  ['nodes', 'nodes'],
  ['icons', 'icons'],
  ['languages', 'languages'],
  ['help', 'help pages'],
  ['examples', 'examples'],
  ['round', 'backup round'],
  ['redeploy', 'clean redeploy'],
  ['sync', 'sync'],
  ['requests', 'sharing, requests'],
  ['serviceAccount', 'service account'],
  ['files', 'restored entries'],
  ['stop', 'clean stop'],
];

export function resultTable(results: readonly PlatformResult[]): string {
  const rows = results.map((result) => [
    platformName(result.platform),
    ...COLUMNS.map(([key]) => cellText(result[key])),
  ]);
  return textTable([['', ...COLUMNS.map(([, title]) => title)], ...rows]).join('\n');
}

function cellText(value: number | boolean | undefined): string {
  if (value === undefined) return 'FAILED';
  return value === true ? 'yes' : String(value);
}
