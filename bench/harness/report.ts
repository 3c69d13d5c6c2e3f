/** Benchmark reports as text and Markdown. */
import { textTable } from '../../test/support/text-table';
import type { Metric } from './case';
import type { Machine } from './machine';
import type { Measured, MeasuredTable, Spread, Verdict } from './statistics';

export interface Report {
  case: string;
  about: string;
  date: string;
  /** Bytes. */
  size: number;
  rounds: number;
  seconds: number;
  machine: Machine;
  /** Remarks about noise; empty on a quiet machine. */
  noise: readonly string[];
  /** Remarks about missing contestants. */
  notes: readonly string[];
  tables: readonly MeasuredTable[];
}

const METRICS: Record<Metric, { title: string; unit: string; digits: number }> = {
  wall: { title: 'wall time', unit: 's', digits: 2 },
  cpu: { title: 'CPU', unit: 's', digits: 2 },
  serviceCpu: { title: 'CPU of the service', unit: 's', digits: 2 },
  peak: { title: 'peak memory', unit: 'MiB', digits: 0 },
  growth: { title: 'above idle', unit: 'MiB', digits: 0 },
  delay: { title: 'event loop p99', unit: 'ms', digits: 1 },
  requests: { title: 'requests', unit: '', digits: 0 },
  rate: { title: 'calls', unit: '1/s', digits: 0 },
  cpuCall: { title: 'CPU per call', unit: 'ms', digits: 2 },
  p99: { title: 'p99', unit: 'ms', digits: 1 },
  took: { title: 'time', unit: 'ms', digits: 0 },
  cpuTook: { title: 'CPU', unit: 'ms', digits: 0 },
  size: { title: 'size', unit: 'MB', digits: 1 },
  packages: { title: 'packages', unit: '', digits: 0 },
};

export function asText(report: Report): string {
  const blocks = report.tables.map((table) => {
    const lines = textTable(grid(table, { withSpread: true })).map((line) => `  ${line}`);
    return [table.title, ...lines, ...table.targets.map((target) => `  ${targetLine(target)}`)].join('\n');
  });
  return [measuredOn(report), ...blocks, ...remarks(report)].join('\n\n');
}

export function asMarkdown(report: Report): string {
  const blocks = report.tables.map((table) => {
    const [head = [], ...rows] = grid(table, { withSpread: false });
    const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
    const targets = table.targets.map((target) => `- ${targetLine(target)}`);
    return [
      `**${table.title}**`,
      markdownTable([head, rule, ...rows]),
      ...(targets.length > 0 ? [targets.join('\n')] : []),
    ].join('\n\n');
  });
  return [...blocks, measuredOn(report), ...remarks(report)].join('\n\n');
}

/** A heading, and a row per contestant: its medians, and the ratio of its first metric to the first contestant's. */
function grid({ metrics, rows }: MeasuredTable, { withSpread }: { withSpread: boolean }): string[][] {
  const [compared = 'wall'] = metrics;
  const best = rows[0]?.metrics[compared]?.median;
  const head = metrics.map((metric) =>
    [METRICS[metric].title, METRICS[metric].unit].filter(Boolean).join(', '),
  );
  const cells = (row: Measured): string[] => [
    row.contestant,
    ...metrics.map((metric) => cell(metric, row.metrics[metric], withSpread)),
    ratio(row.metrics[compared]?.median, best),
  ];
  return [['', ...head, `× ${METRICS[compared].title}`], ...rows.map(cells)];
}

function cell(metric: Metric, spread: Spread | undefined, withSpread: boolean): string {
  if (!spread) return '-';
  const { digits } = METRICS[metric];
  const [median, least, most] = [spread.median, spread.least, spread.most].map((each) =>
    each.toFixed(digits),
  );
  return withSpread ? `${median} (${least}–${most})` : `${median}`;
}

function ratio(value: number | undefined, of: number | undefined): string {
  return value === undefined || of === undefined ? '-' : (value / of).toFixed(2);
}

function targetLine({ metric, ours, peer, value, bound, isMet }: Verdict): string {
  const { title } = METRICS[metric];
  const held = peer ? ` ${peer.as === 'times' ? '×' : 'above'} ${peer.contestant}` : '';
  const alike = ours.contestants.length > 1 ? ', difference' : '';
  const says = `${title} of ${ours.contestants.join(', ')}${alike}${held}`;
  const [limit, most] = 'atMost' in bound ? ['at most', bound.atMost] : ['at least', bound.atLeast];
  return `${isMet ? 'met' : 'NOT MET'}: ${says}: ${value.toFixed(2)}, ${limit} ${most.toFixed(2)}`;
}

/** A row per target of all reports, and the machine. */
export function asSummary(reports: readonly Report[]): string {
  const head = [
    ['', 'this package', 'compared with', 'result', 'target', ''],
    ['---', '---:', '---:', '---:', '---:', '---'],
  ];
  const rows = reports.flatMap(({ tables }) =>
    tables.flatMap((table) => table.targets.map((verdict) => summaryRow(table, verdict))),
  );
  const ran = reports.map((report) => `${report.case}: ${report.rounds} rounds, ${day(report)}`);
  const noise = reports.filter((report) => report.noise.length > 0).map((report) => report.case);
  return [
    markdownTable([...head, ...rows]),
    [`Medians (${ran.join('; ')}).`, ...reports.slice(0, 1).map(machineLine)].join('\n'),
    ...(noise.length > 0 ? [`The machine was noisy during ${noise.join(', ')}.`] : []),
  ].join('\n\n');
}

function markdownTable(rows: readonly (readonly string[])[]): string {
  const escaped = (cell: string): string => cell.replaceAll('|', '\\|');
  return rows.map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n');
}

function summaryRow(
  { title }: MeasuredTable,
  { metric, ours, peer, value, bound, isMet }: Verdict,
): string[] {
  const unit = (text: string): string => `${text} ${METRICS[metric].unit}`.trimEnd();
  const digits = (number: number): string => number.toFixed(METRICS[metric].digits);
  const [limit, most] = 'atMost' in bound ? ['≤', bound.atMost] : ['≥', bound.atLeast];
  const [mine = ''] = ours.contestants;
  const inWords = (number: number): string => {
    if (peer?.as === 'times') return `× ${number.toFixed(2)}`;
    if (!peer) return unit(digits(number));
    return `${number < 0 ? '−' : '+'} ${unit(digits(Math.abs(number)))}`;
  };
  return [
    `${title}: ${METRICS[metric].title}${ours.contestants.length > 1 ? ', all sizes' : `, ${mine}`}`,
    unit(ours.values.map(digits).join('–')),
    peer ? `${peer.contestant}: ${unit(digits(peer.value))}` : '',
    peer || ours.contestants.length > 1 ? inWords(value) : '',
    `${limit} ${inWords(most)}`,
    isMet ? 'met' : '**not met**',
  ];
}

function day({ date }: Report): string {
  return date.slice(0, 10);
}

function measuredOn({ case: name, machine, size, rounds, date, seconds }: Report): string {
  const transfers = name === 'transfers' ? `, ${mebibytes(size)} each` : '';
  const about = `Medians of ${rounds} rounds in turn${transfers}, ${date}, ${Math.round(seconds)} s.`;
  return `${about}\n${machineLine({ machine })}`;
}

function machineLine({ machine }: Pick<Report, 'machine'>): string {
  const { cpu, cores, memoryGiB, system, node, openssl, versions } = machine;
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB; ${system}; Node ${node}, OpenSSL ${openssl}; ${programs.join(', ')}.`;
}

function remarks({ notes, noise }: Report): string[] {
  const lines = [...notes, ...noise.map((text) => `The machine was noisy: ${text}.`)];
  return lines.length > 0 ? [lines.join('\n')] : [];
}

export function mebibytes(bytes: number): string {
  const mib = bytes / 2 ** 20;
  return mib >= 1024 && mib % 1024 === 0 ? `${mib / 1024} GiB` : `${Number(mib.toFixed(1))} MiB`;
}
