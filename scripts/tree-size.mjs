/**
 * Prints how large the tree is: lines, lines of code, files, tiny files (up to 25 lines) and long
 * functions (above 40 lines), for each folder of src and for nodes and test.
 *
 *     npm run tree-size
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** Lines. */
const LONG_FUNCTION = 40;
const TINY_FILE = 25;

const folders = ['src', 'nodes', 'test'];
const sizes = folders.flatMap(filesIn).map(measure);
for (const { room, ...size } of byRoom(sizes)) console.log(row(room, size));
const product = sizes.filter(({ file }) => !file.startsWith('test/'));
console.log(row('src and nodes', sum(product)));
for (const { file, longFunctions } of product)
  for (const { name, lines } of longFunctions) console.log(`${lines} lines: ${name} in ${file}`);

function filesIn(folder) {
  return readdirSync(path.join(root, folder), { recursive: true })
    .map((file) => path.posix.join(folder, file.replaceAll(path.sep, '/')))
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules/'));
}

function measure(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const codeLines = new Set();
  const longFunctions = [];
  visit(source);
  return { file, lines: text.split('\n').length - 1, code: codeLines.size, longFunctions };

  function visit(node) {
    if (ts.isJSDoc(node)) return;
    const [first, last] = [lineOf(node.getStart(source)), lineOf(node.end)];
    // Only tokens: a node also spans the comments and blank lines inside it.
    if (node.getChildCount(source) === 0 && node.end > node.getStart(source))
      for (let line = first; line <= last; line++) codeLines.add(line);
    if (ts.isFunctionLike(node) && node.body && last - first >= LONG_FUNCTION)
      longFunctions.push({ name: node.name?.getText(source) ?? 'a function', lines: last - first + 1 });
    node.getChildren(source).forEach(visit);
  }
}

function byRoom(all) {
  const roomOf = ({ file }) => /^src\/(?:backup\/)?[^/]+(?=\/)|^[^/]+/.exec(file)[0];
  const rooms = [...new Set(all.map(roomOf))].sort();
  return rooms.map((room) => ({ room, ...sum(all.filter((size) => roomOf(size) === room)) }));
}

function sum(all) {
  const total = (property) => all.reduce((value, size) => value + size[property], 0);
  const tiny = all.filter(({ lines }) => lines <= TINY_FILE).length;
  return { lines: total('lines'), code: total('code'), files: all.length, tiny };
}

function row(name, { lines, code, files, tiny }) {
  const columns = [`${lines} lines`, `${code} of code`, `${files} files`, `${tiny} tiny`];
  return [name.padEnd(16), ...columns.map((column) => column.padStart(16))].join('');
}
