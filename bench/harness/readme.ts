/** Writes the benchmark results in bench/README.md, and the figures that users notice in the project's README. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { type Report, asHighlights, asSummary } from './report';

const ROOT = path.join(__dirname, '../..');
const [BEGIN, END] = ['<!-- bench -->', '<!-- /bench -->'];

/** @throws if the markers are missing in either file; then both stay unchanged */
export async function writeReadmes(reports: readonly Report[], root = ROOT): Promise<void> {
  const written = await Promise.all([
    replaced(path.join(root, 'README.md'), asHighlights(reports)),
    replaced(path.join(root, 'bench/README.md'), asSummary(reports)),
  ]);
  for (const { file, text } of written) writeFileSync(file, text);
}

/** The text of a file with the part between the markers replaced. */
async function replaced(file: string, table: string): Promise<{ file: string; text: string }> {
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${file} has no lines ${BEGIN} and ${END}.`);
  const options = await resolveConfig(path.join(ROOT, 'README.md'));
  const formatted = await format(table, { ...options, parser: 'markdown' });
  return { file, text: `${text.slice(0, from + BEGIN.length)}\n\n${formatted}\n${text.slice(to)}` };
}
