/* global module, process, require */
'use strict';
const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');

/** Sends the memory usage of this process after garbage collection. */
module.exports = (RED) => {
  RED.nodes.registerType('soak-memory', function (def) {
    RED.nodes.createNode(this, def);
    this.on('input', (_msg, send, done) => {
      collect();
      collect();
      const { heapUsed, rss } = process.memoryUsage();
      send({ payload: { heapUsed, rss } });
      done();
    });
  });
};
