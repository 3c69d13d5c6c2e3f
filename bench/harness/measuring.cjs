'use strict';
/** Measures so many calls of this process: `done` is told of each, and answers with the result at the last. */
module.exports = function measuring(calls) {
  const took = [];
  const before = process.cpuUsage();
  const start = performance.now();
  return {
    /** @param begun of the call, as performance.now() said it */
    done(begun) {
      took.push(performance.now() - begun);
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
