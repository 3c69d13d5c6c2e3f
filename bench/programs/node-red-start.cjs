'use strict';
/** How long Node-RED takes to start, and its processor time until then: `node node-red-start.cjs USER_DIRECTORY`. */
const http = require('node:http');
const { createRequire } = require('node:module');

const nodeRed = require.resolve('node-red');
const RED = require(nodeRed);
const app = createRequire(nodeRed)('express')();
const server = http.createServer(app);

RED.init(server, {
  userDir: process.argv[2],
  logging: { console: { level: 'off' } },
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false, palette: { catalogues: [] } },
  credentialSecret: 'bench',
});
RED.events.once('flows:started', () => {
  const { user, system } = process.cpuUsage();
  const sample = { took: performance.now(), cpuTook: (user + system) / 1e3 };
  process.stdout.write(JSON.stringify(sample), () => process.exit(0));
});
app.use('/', RED.httpAdmin);
server.listen(0, '127.0.0.1', () => void RED.start());
