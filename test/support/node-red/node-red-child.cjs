'use strict';
/**
 * A real Node-RED in a process of its own, embedded as its documentation shows and steered over the channel to the
 * parent. Plain JavaScript, so that any Node.js and any Node-RED can run it.
 * https://nodered.org/docs/user-guide/runtime/embedding
 */
const http = require('node:http');
const { createRequire } = require('node:module');

const { nodeRed, settings, speed } = JSON.parse(process.argv[2]);
if (speed !== undefined) quicken(speed);
const RED = require(nodeRed);
const express = createRequire(nodeRed)('express');

const app = express();
const server = http.createServer(app);
const tell = (message) => process.connected && process.send(message);

RED.init(server, {
  ...settings,
  logging: {
    console: { level: 'off' },
    test: { level: 'trace', handler: () => logLine },
  },
});

function logLine({ level, type = '', id = '', msg }) {
  if (msg !== undefined) tell({ type: 'log', level, line: `${type} ${id} ${String(msg)}`.trim() });
}

RED.events.on('flows:started', () => tell({ type: 'started' }));
// Telling them costs time, which a measurement would take for the nodes'.
if (process.env.REPORT_STATUS !== 'no') {
  RED.events.on('node-status', ({ id, status }) => tell({ type: 'status', id, status }));
}
RED.events.on('runtime-event', ({ payload }) => {
  if (payload?.error) tell({ type: 'failed', error: `${payload.error} ${(payload.types ?? []).join(', ')}` });
});

process.on('message', ({ type, node, msg }) => {
  if (type === 'stop') void stop();
  else if (type === 'receive') RED.nodes.getNode(node).receive(msg);
});
// Without its parent there is nobody left to work for.
process.on('disconnect', () => process.exit(1));

/** What the package's clock is made of, so that its pauses are shorter by so many times; other timers are as ever. */
function quicken(times) {
  const timers = require('node:timers/promises');
  const { setTimeout: wait } = timers;
  const { now } = Date;
  const begin = now();
  Date.now = () => Math.round(begin + (now() - begin) * times);
  timers.setTimeout = (ms, ...more) => wait(ms / times, ...more);
}

async function stop() {
  await RED.stop();
  server.closeAllConnections?.();
  process.exit(0);
}

if (settings.httpAdminRoot !== false) app.use(settings.httpAdminRoot ?? '/', RED.httpAdmin);
app.use(settings.httpNodeRoot ?? '/', RED.httpNode);
server.listen(0, '127.0.0.1', async () => {
  await RED.start();
  tell({ type: 'listening', port: server.address().port });
});
