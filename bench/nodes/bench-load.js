'use strict';
/**
 * Keeps a node of a real Node-RED busy: a message with `calls`, `inFlight` and `given` begins; each that comes back from
 * the node lets the next go, until all are done. Then its second output gives `msg.measured`: `wall` and `cpu` in s,
 * `calls`, and `p99` in ms, of one call.
 */
const measuring = require('../harness/measuring.cjs');

module.exports = (RED) => {
  RED.nodes.registerType('bench-load', function (def) {
    RED.nodes.createNode(this, def);
    let run;
    const next = (send) => {
      run.left -= 1;
      send([{ ...RED.util.cloneMessage(run.given), begun: performance.now() }, null]);
    };
    this.on('input', (msg, send, done) => {
      if (msg.calls) {
        run = { ...msg, left: msg.calls, measured: measuring(msg.calls) };
        for (let count = 0; count < run.inFlight; count++) next(send);
      } else if (msg.error) {
        send([null, msg]);
      } else {
        const result = run.measured.done(msg.begun);
        if (result) send([null, { measured: result }]);
        else if (run.left > 0) next(send);
      }
      done();
    });
  });
};
