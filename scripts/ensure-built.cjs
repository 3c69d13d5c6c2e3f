'use strict';
/** Builds the package if a source changed since the last build. */
const { execFileSync } = require('node:child_process');
const { existsSync, readdirSync, statSync } = require('node:fs');
const path = require('node:path');

const root = path.dirname(__dirname);
const SOURCES = ['src', 'nodes', 'icons', 'scripts', 'package.json'];
let isBuilt = false;

exports.ensureBuilt = () => {
  if (isBuilt) return;
  const built = path.join(root, 'dist/nodes/account.js');
  const changed = Math.max(...SOURCES.map((source) => latestChange(path.join(root, source))));
  if (!existsSync(built) || statSync(built).mtimeMs < changed)
    execFileSync(process.execPath, [path.join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
  isBuilt = true;
};

function latestChange(file) {
  const stats = statSync(file);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(0, ...readdirSync(file).map((entry) => latestChange(path.join(file, entry))));
}
