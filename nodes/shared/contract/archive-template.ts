/**
 * The template of an archive's name. src/backup/archive-name.ts applies the same rules, and rejects control characters,
 * which the field can't contain.
 */

const PLACEHOLDERS = ['{name}', '{host}', '{date}', '{time}', '{number}'];
/**
 * The node adds `.tar`, `.gz`, `.age` and the mark of incomplete archives itself. With another extension, a name would
 * promise what the archive isn't.
 */
const EXTENSION = /(?:\.(?:incomplete|tar|tgz|tbz2?|txz|tzst|gz|bz2|xz|zst|age|zip|7z|rar))+\s*$/i;
/** Placeholders that run into each other: the name of another source could look like a number of this one. */
const NO_SEPARATOR = /(?:\{\w+\}|\d)\{number\}|\{number\}(?:\{\w+\}|\d)|\{name\}\{host\}|\{host\}\{name\}/;

/** A text key, and its parameters. */
export type TemplateProblem =
  | ['slash', Record<never, string>]
  | ['placeholder', { placeholder: string }]
  | ['separator', { parts: string }]
  | ['extension', { extension: string }];

/** @returns undefined for a template that the runtime accepts, or an empty one */
export function templateProblem(template: string): TemplateProblem | undefined {
  if (template.includes('/')) return ['slash', {}];
  const placeholder = template.match(/\{[^{}]*\}?/g)?.find((each) => !PLACEHOLDERS.includes(each));
  if (placeholder !== undefined) return ['placeholder', { placeholder }];
  const parts = NO_SEPARATOR.exec(template)?.[0];
  if (parts !== undefined) return ['separator', { parts }];
  const extension = EXTENSION.exec(template)?.[0].trim();
  return extension === undefined ? undefined : ['extension', { extension }];
}
