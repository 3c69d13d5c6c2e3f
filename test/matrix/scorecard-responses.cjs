'use strict';
/**
 * Loaded before node-red-dev: answers what it asks of the web. No other package is in the Flow Library's catalogue, and
 * of Node-RED there are the versions in the variable NODE_REDS: `{latest, engine, others}`.
 */
const { createRequire } = require('node:module');

// The axios that node-red-dev has, not one of this project.
const axios = createRequire(process.argv[1])('axios');
const { latest, engine, others } = JSON.parse(process.env.NODE_REDS);
const maintained = others.map((version) => [`v${version.split('.')[0]}-maintenance`, version]);

const ANSWERS = {
  'https://catalogue.nodered.org/catalogue.json': { modules: [] },
  'https://registry.npmjs.org/node-red': {
    'dist-tags': { latest, ...Object.fromEntries(maintained) },
    versions: { [latest]: { engines: { node: engine } } },
  },
};

axios.defaults.adapter = async (config) => {
  const data = ANSWERS[config.url];
  if (data === undefined) throw new Error(`No answer to ${config.url}`);
  return { data, status: 200, statusText: 'OK', headers: {}, config };
};
