'use strict';
/**
 * Sends messages to a node continuously. A message with `calls`, `inFlight` and `given` starts; each message returned by
 * the node triggers the next, until all are done. The second output then sends the results as `msg.measured`.
 */
const measuring = require('../harness/measuring.cjs');

module.exports = (RED) => {
  RED.nodes.registerType('bench-load', function (def) {
    RED.nodes.createNode(this, def);
    let run;
    const next = (send) => {
      run.left -= 1;
      send([{ ...RED.util.cloneMessage(run.given), started: performance.now() }, null]);
    };
    this.on('input', (msg, send, done) => {
      if (msg.calls) {
        run = { ...msg, left: msg.calls, measured: measuring(msg.calls) };
        for (let count = 0; count < run.inFlight; count++) next(send);
      } else if (msg.error) {
        send([null, msg]);
      } else {
        const result = run.measured.done(msg.started);
        if (result) send([null, { measured: result }]);
        else if (run.left > 0) next(send);
      }
      done();
    });
  });
};
