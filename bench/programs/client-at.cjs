'use strict';
/** This package's client, without Node-RED. */
require('tsx/cjs');
const { DriveClient, HttpClient, systemClock } = require('../../src/index.ts');

/** @param baseUrl of the service */
function client(baseUrl) {
  return clientOf({ kind: 'custom', baseUrl }, { token: 'token', requestsPerSecond: 1_000_000_000 });
}

/** A client with Google's preset, for service/google-front.ts. */
function googleClient(requestsPerSecond) {
  const service = { kind: 'google', baseUrl: 'https://www.googleapis.com' };
  return clientOf(service, { token: 'bench-token', requestsPerSecond });
}

function clientOf({ kind, baseUrl }, { token, requestsPerSecond }) {
  return new DriveClient({
    http: new HttpClient({ timeout: 30_000 }),
    tokens: { get: async () => token, renew: async () => token },
    clock: systemClock,
    service: {
      kind,
      baseUrl,
      uploadUrl: baseUrl,
      folderMimeType: 'application/vnd.google-apps.folder',
      driveId: '',
    },
    random: Math.random,
    retryFor: 0,
    requestsPerSecond,
    maxTransfers: 4,
  });
}

module.exports = { client, googleClient };
