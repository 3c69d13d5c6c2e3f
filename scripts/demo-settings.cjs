/** Node-RED's settings for the demo: on this machine only, quiet, and without asking anything of the network. */
// The demo was killed: nobody is there any more to end this.
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
