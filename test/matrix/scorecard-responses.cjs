'use strict';
/**
 * Preloaded into node-red-dev: responds to its HTTP requests. The Flow Library's catalogue is empty, and the Node-RED
 * versions are those in the environment variable NODE_REDS: `{latest, engine, others}`.
 */
const { createRequire } = require('node:module');

// The axios of node-red-dev, not the one of this project.
const axios = createRequire(process.argv[1])('axios');
const { latest, engine, others } = JSON.parse(process.env.NODE_REDS);
const maintained = others.map((version) => [`v${version.split('.')[0]}-maintenance`, version]);

const RESPONSES = {
  'https://catalogue.nodered.org/catalogue.json': { modules: [] },
  'https://registry.npmjs.org/node-red': {
    'dist-tags': { latest, ...Object.fromEntries(maintained) },
    versions: { [latest]: { engines: { node: engine } } },
  },
};

axios.defaults.adapter = async (config) => {
  const data = RESPONSES[config.url];
  if (data === undefined) throw new Error(`No response for ${config.url}`);
  return { data, status: 200, statusText: 'OK', headers: {}, config };
};
