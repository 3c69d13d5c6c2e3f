/** The numbers in the project's README: written by the bench, never by hand. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { type Report, asMarkdown } from './report';

const README = path.join(__dirname, '../../README.md');

/** Puts a report between the marks of its case: `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`; all else stays. */
export async function writeReadme(report: Report, file = README): Promise<void> {
  const text = withBlock(readFileSync(file, 'utf8'), report.case, asMarkdown(report));
  writeFileSync(file, await format(text, { ...(await resolveConfig(README)), parser: 'markdown' }));
}

/** @throws where the text has no place for that case */
function withBlock(text: string, name: string, block: string): string {
  const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no lines ${begin} and ${end}.`);
  return `${text.slice(0, from + begin.length)}\n\n${block}\n\n${text.slice(to)}`;
}
