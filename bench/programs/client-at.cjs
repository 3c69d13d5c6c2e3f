'use strict';
/** This package's client, without Node-RED. */
require('tsx/cjs');
const { CAPABILITIES, DriveClient, HttpClient, systemClock } = require('../../src/index.ts');

/** @param baseUrl of the service */
function client(baseUrl) {
  return new DriveClient({
    http: new HttpClient({ timeout: 30_000 }),
    tokens: { get: async () => 'token', renew: async () => 'token' },
    clock: systemClock,
    service: {
      can: CAPABILITIES.custom,
      baseUrl,
      uploadUrl: baseUrl,
      folderMimeType: 'application/vnd.google-apps.folder',
      driveId: '',
    },
    random: Math.random,
    retryFor: 0,
    requestsPerSecond: 1_000_000_000,
    maxTransfers: 4,
  });
}

module.exports = { client };
