/** Node-RED's settings for the demo: local, without telemetry and other requests to the internet. */
// The IPC channel closes when the demo exits, even when it is killed.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

module.exports = {
  uiHost: '127.0.0.1',
  uiPort: Number(process.env.PORT || 1880),
  flowFile: 'flows.json',
  credentialSecret: 'the demo keeps nothing worth stealing',
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false, palette: { catalogues: [] } },
  logging: { console: { level: 'info', metrics: false, audit: false } },
};
