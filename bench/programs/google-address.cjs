'use strict';
/**
 * For `--require`: connects to service/google-front.ts instead of Google, as entries in /etc/hosts and a redirected port
 * would. `GOOGLE_FRONT` is `{ "hosts": […], "port" }` as JSON.
 */
const net = require('node:net');

const { hosts, port } = JSON.parse(process.env.GOOGLE_FRONT);
const { connect } = net.Socket.prototype;

net.Socket.prototype.connect = function (options, ...rest) {
  const isGoogle = hosts.includes(options.host) && Number(options.port) === 443;
  const target = isGoogle ? Object.assign({}, options, { host: '127.0.0.1', port }) : options;
  return connect.call(this, target, ...rest);
};
