'use strict';
/**
 * Measures Node-RED between two probes. The first message through a probe starts; the next one through any probe ends and
 * gets `msg.measured`: `wall` and `cpu` in s, `peak` and `idle` memory of the process in MiB, `delay` in ms (99th percentile
 * of the event loop delay). `idle` is the memory before the first message. The garbage of a measurement is collected before
 * the next one, for which it would count. What can't be collected does count.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');

const delays = monitorEventLoopDelay({ resolution: 1 });
let idle;
let started;

module.exports = (RED) => {
  RED.nodes.registerType('bench-probe', function (def) {
    RED.nodes.createNode(this, def);
    this.on('input', (msg, send, done) => {
      // In a sequence of messages, the last one ends.
      if (started && msg.parts && msg.parts.count === undefined) return done();
      if (!started) {
        begin();
        send(msg);
        // Only what is needed: a result can be large.
      } else send({ measured: end(), error: msg.error });
      return done();
    });
  });
};

function begin() {
  if (idle === undefined) idle = process.memoryUsage.rss() / 2 ** 20;
  else collectGarbage();
  resetPeak();
  delays.reset();
  delays.enable();
  started = { cpu: process.cpuUsage(), start: performance.now() };
}

function end() {
  const wall = (performance.now() - started.start) / 1e3;
  const { user, system } = process.cpuUsage(started.cpu);
  started = undefined;
  delays.disable();
  return { wall, cpu: (user + system) / 1e6, peak: peak(), idle, delay: delays.percentile(99) / 1e6 };
}

/** Resets the peak memory, see clear_refs in proc(5). Otherwise the peak since the start of the process is used. */
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
