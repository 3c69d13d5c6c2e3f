'use strict';
/**
 * Measures a real Node-RED from inside: the first message that passes one begins, the next that passes any ends, and
 * has in `msg.measured` what lay between: `wall` and `cpu` in s, `peak` and `idle` in MiB of the whole process, `delay` in ms
 * (p99 of the event loop's, timer resolution included). `idle` is what the process had before its first message.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');

const delays = monitorEventLoopDelay({ resolution: 1 });
let idle;
let begun;

module.exports = (RED) => {
  RED.nodes.registerType('bench-probe', function (def) {
    RED.nodes.createNode(this, def);
    this.on('input', (msg, send, done) => {
      // Of a message for each item the last one ends.
      if (begun && msg.parts && msg.parts.count === undefined) return done();
      if (begun) msg.measured = end();
      else begin();
      send(msg);
      return done();
    });
  });
};

function begin() {
  idle ??= process.memoryUsage.rss() / 2 ** 20;
  resetPeak();
  delays.reset();
  delays.enable();
  begun = { cpu: process.cpuUsage(), start: performance.now() };
}

function end() {
  const wall = (performance.now() - begun.start) / 1e3;
  const { user, system } = process.cpuUsage(begun.cpu);
  begun = undefined;
  delays.disable();
  return { wall, cpu: (user + system) / 1e6, peak: peak(), idle, delay: delays.percentile(99) / 1e6 };
}

/** proc(5): 5 sets the peak back to what is in memory now. Where that can't be had, it is the peak since the start. */
function resetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Not Linux, or not allowed.
  }
}

function peak() {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}
