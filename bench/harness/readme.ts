/** Writes the benchmark results in the project's README. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { type Report, asSummary } from './report';

const README = path.join(__dirname, '../../README.md');
const [BEGIN, END] = ['<!-- bench -->', '<!-- /bench -->'];

/**
 * Replaces the table of targets between the markers.
 * @throws if the markers are missing
 */
export async function writeReadme(reports: readonly Report[], file = README): Promise<void> {
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`README.md has no lines ${BEGIN} and ${END}.`);
  const written = `${text.slice(0, from + BEGIN.length)}\n\n${asSummary(reports)}\n\n${text.slice(to)}`;
  writeFileSync(file, await format(written, { ...(await resolveConfig(README)), parser: 'markdown' }));
}
