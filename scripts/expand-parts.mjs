/** Inserts parts that several HTML files share. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Replaces each line `<!-- kind: name -->` with the content of `name.html`, indented like the line.
 * @param html the text of a file
 * @param kind such as `row` or `help`
 * @param folder contains the parts
 * @throws if there is no such part
 */
export function expandParts(html, kind, folder) {
  const line = new RegExp(`^( *)<!-- ${kind}: ([\\w-]+) -->\\n`, 'gm');
  return html.replace(line, (_, indent, name) =>
    readFileSync(path.join(folder, `${name}.html`), 'utf8').replace(/^(?=.)/gm, indent),
  );
}
