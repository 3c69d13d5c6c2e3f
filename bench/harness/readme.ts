/** Writes the benchmark results in bench/README.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { type Report, asSummary } from './report';

const README = path.join(__dirname, '../README.md');
const [BEGIN, END] = ['<!-- bench -->', '<!-- /bench -->'];

/** Replaces the table between the markers. @throws if they are missing; then the file stays unchanged */
export async function writeReadme(reports: readonly Report[], file = README): Promise<void> {
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${file} has no lines ${BEGIN} and ${END}.`);
  const table = await format(asSummary(reports), { ...(await resolveConfig(README)), parser: 'markdown' });
  writeFileSync(file, `${text.slice(0, from + BEGIN.length)}\n\n${table}\n${text.slice(to)}`);
}
