'use strict';
/**
 * Measures one piece of work of this process, from its first request to its proof, and prints it as JSON:
 * `{"wall", "cpu"}` in s (user and system, all threads), `{"peak"}` in MiB of the whole process, and the 99th percentile of
 * the event loop's `{"delay"}` in ms. What a process needs to
 * start and to load its code is left out: Node-RED has done that long before a message comes.
 */
const { monitorEventLoopDelay } = require('node:perf_hooks');

process.on('unhandledRejection', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});

module.exports = async function measured(work) {
  const idle = process.memoryUsage.rss() / 2 ** 20;
  const before = process.cpuUsage();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  await work();
  const wall = (performance.now() - start) / 1e3;
  const { user, system } = process.cpuUsage(before);
  const peak = process.resourceUsage().maxRSS / 1024;
  const loop = { delay: delay.percentile(99) / 1e6 };
  const sample = { wall, cpu: (user + system) / 1e6, peak, growth: Math.max(0, peak - idle), ...loop };
  process.stdout.write(JSON.stringify(sample), () => process.exit(0));
};
