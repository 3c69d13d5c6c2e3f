'use strict';
/** The time to load the modules of the nodes or of the vendor client: `node load.cjs nodes|vendor`. */
const path = require('node:path');

const ROOT = path.join(__dirname, '../..');

/** Registers all nodes with a fake RED. */
function nodes() {
  const { 'node-red': nodeRed } = require(path.join(ROOT, 'package.json'));
  const get = (_, key) => (key === Symbol.toPrimitive ? () => '' : key === 'userDir' ? '.' : RED);
  const RED = new Proxy(() => undefined, { get, apply: () => RED });
  for (const file of Object.values(nodeRed.nodes)) require(path.join(ROOT, file))(RED);
}

const work = { nodes, vendor: () => require('@googleapis/drive') }[process.argv[2]];
const before = process.cpuUsage();
const start = performance.now();
work();
const took = performance.now() - start;
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ took, cpuTook: (user + system) / 1e3 }), () => process.exit(0));
