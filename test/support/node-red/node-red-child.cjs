'use strict';
/**
 * A real Node-RED as a child process, embedded as documented and controlled by IPC messages. Plain JavaScript, so that
 * any Node.js version can run it.
 * https://nodered.org/docs/user-guide/runtime/embedding
 */
const http = require('node:http');
const { createRequire } = require('node:module');

const { nodeRed, settings, speed, audit } = JSON.parse(process.argv[2]);
if (speed !== undefined) speedUpClock(speed);
const RED = require(nodeRed);
const express = createRequire(nodeRed)('express');

const app = express();
const server = http.createServer(app);
const sendToParent = (message) => process.connected && process.send(message);

RED.init(server, {
  ...settings,
  logging: {
    console: { level: 'off' },
    test: { level: 'trace', audit, handler: () => logLine },
  },
});

function logLine({ level, type = '', id = '', msg, ...event }) {
  if (msg === undefined) sendToParent({ type: 'log', level, line: JSON.stringify({ type, id, ...event }) });
  else sendToParent({ type: 'log', level, line: `${type} ${id} ${String(msg)}`.trim() });
}

RED.events.on('flows:started', () => sendToParent({ type: 'started' }));
// Sending statuses takes time, which would distort measurements.
if (process.env.REPORT_STATUS !== 'no') {
  RED.events.on('node-status', ({ id, status }) => sendToParent({ type: 'status', id, status }));
}
RED.events.on('runtime-event', ({ payload }) => {
  if (payload?.error)
    sendToParent({ type: 'failed', error: `${payload.error} ${(payload.types ?? []).join(', ')}` });
});

process.on('message', ({ type, node, msg }) => {
  if (type === 'stop') void stop();
  else if (type === 'receive') RED.nodes.getNode(node).receive(msg);
});
process.on('SIGTERM', () => void stop());
// Exits with its parent.
process.on('disconnect', () => process.exit(1));

/** Speeds up Date.now and the promise timers, which the package's clock uses. Other timers are unchanged. */
function speedUpClock(factor) {
  const timers = require('node:timers/promises');
  const { setTimeout: wait } = timers;
  const { now } = Date;
  const begin = now();
  Date.now = () => Math.round(begin + (now() - begin) * factor);
  timers.setTimeout = (ms, ...args) => wait(ms / factor, ...args);
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
  sendToParent({ type: 'listening', port: server.address().port });
});
