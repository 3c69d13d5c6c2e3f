/**
 * npm and the Flow Library show the README without the files next to it. `prepare` makes its links and images absolute
 * before packing, and `restore` puts the original back. Without a repository, nothing exists to link to: then images
 * are left out, and of links, the text stays.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { repositoryUrl } from './repository.mjs';

const README = 'README.md';
const ORIGINAL = 'README.md.original';
const IMAGE_LINE = /^!\[[^\]]*\]\((?!https?:)[^)]+\)\n\n?/gm;
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|#)([^)]+)\)/g;

const [verb] = process.argv.slice(2);
if (verb === 'prepare') {
  // The original exists if an earlier run was killed.
  if (!existsSync(ORIGINAL)) copyFileSync(README, ORIGINAL);
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  writeFileSync(README, packedReadme(readFileSync(ORIGINAL, 'utf8'), repositoryUrl(manifest)));
} else if (verb === 'restore') {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, README);
} else {
  throw new Error(`Use prepare or restore, not ${verb}.`);
}

function packedReadme(text, repository) {
  if (repository === undefined) return text.replace(IMAGE_LINE, '').replace(LINK, '$2');
  const files = repository.replace('https://github.com/', 'https://raw.githubusercontent.com/');
  return text.replace(LINK, (_, image, label, target) =>
    image ? `![${label}](${files}/HEAD/${target})` : `[${label}](${repository}/blob/HEAD/${target})`,
  );
}
