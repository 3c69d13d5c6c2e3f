/* global module, process */
'use strict';

/** A node for tests: what comes in goes to the process that started Node-RED. */
module.exports = (RED) => {
  RED.nodes.registerType('test-output', function (def) {
    RED.nodes.createNode(this, def);
    this.on('input', (msg, _send, done) => {
      process.send({ type: 'output', id: this.id, msg });
      done();
    });
  });
};
