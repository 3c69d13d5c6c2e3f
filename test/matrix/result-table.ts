import { type Platform, platformName } from '../support/run/platforms';

/** What was seen in one Node-RED; what is missing did not get that far. */
export interface PlatformResult {
  platform: Platform;
  nodes?: number;
  icons?: number;
  languages?: number;
  help?: number;
  examples?: number;
  round?: boolean;
  redeploy?: boolean;
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
  ['stop', 'clean stop'],
];

export function resultTable(all: readonly PlatformResult[]): string {
  const names = all.map(({ platform }) => platformName(platform));
  const width = Math.max(0, ...names.map(({ length }) => length));
  const line = (name: string, cell: (column: (typeof COLUMNS)[number]) => string): string =>
    [name.padEnd(width), ...COLUMNS.map((column) => cell(column).padStart(column[1].length))].join('  ');
  return [
    line('', ([, title]) => title),
    ...all.map((seen, index) => line(names[index] ?? '', ([key]) => cellText(seen[key]))),
  ].join('\n');
}

function cellText(value: number | boolean | undefined): string {
  if (value === undefined) return 'FAILED';
  return value === true ? 'yes' : String(value);
}
