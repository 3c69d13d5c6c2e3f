/* global module, process */
'use strict';

/** A node for tests: what comes in goes to the process that started Node-RED. */
module.exports = (RED) => {
  RED.nodes.registerType('test-output', function (def) {
    RED.nodes.createNode(this, def);
    // Requests and responses of HTTP nodes can't be sent to another process.
    this.on('input', (msg, _send, done) => {
      const copied = { ...msg };
      delete copied.req;
      delete copied.res;
      process.send({ type: 'output', id: this.id, msg: copied });
      done();
    });
  });
};
