'use strict';
/** Measures a number of calls. `done` is called for each, and returns the result after the last. */
module.exports = function measuring(calls) {
  const took = [];
  const before = process.cpuUsage();
  const start = performance.now();
  return {
    /** @param started time of performance.now() at the start of the call */
    done(started) {
      took.push(performance.now() - started);
      if (took.length < calls) return undefined;
      const wall = (performance.now() - start) / 1e3;
      const { user, system } = process.cpuUsage(before);
      took.sort((a, b) => a - b);
      return {
        rate: calls / wall,
        cpuCall: (user + system) / 1e3 / calls,
        p99: took[Math.floor(calls * 0.99)],
      };
    },
  };
};
