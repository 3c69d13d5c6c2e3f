/** The properties and defaults that saved flows depend on, as the editor registers them. */
import should from 'should';
import { editorDefinition } from '../support/editor/editor-definition';

const OWN = { name: '', account: '' };
const FIELDS = 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents,webViewLink';
const LISTING = { output: 'array', fields: FIELDS, orderBy: '', limit: 0 };

const CONTRACT: Record<string, Record<string, unknown>> = {
  account: {
    service: 'google',
    baseUrl: '',
    uploadUrl: '',
    tokenUrl: '',
    deviceUrl: '',
    authUrl: '',
    revokeUrl: '',
    folderMimeType: '',
    scope: '',
    driveId: '',
    requestsPerSecond: 10,
    maxTransfers: 4,
    retryFor: 300,
    timeout: 30,
    bandwidth: 0,
    signedInAt: '',
  },
  about: { ...OWN, fields: 'user,storageQuota' },
  'list-folders': { ...OWN, folder: 'payload', folderType: 'msg', ...LISTING },
  'search-files': {
    ...OWN,
    ...{ folder: 'payload.folderId', folderType: 'msg', text: 'payload.text', textType: 'msg' },
    ...LISTING,
    ...{ match: 'contains', kind: 'files', includeTrashed: false, caseSensitive: false, recursive: false },
    maxDepth: 0,
  },
  download: {
    ...OWN,
    ...{ file: 'payload', fileType: 'msg', filename: 'filename', filenameType: 'msg' },
    ...{ output: 'buffer', encoding: 'utf8', maxSize: 256, overwrite: 'replace', acknowledgeAbuse: false },
    ...{ exportFormat: '', progress: false, outputs: 1 },
  },
  delete: {
    ...OWN,
    ...{ file: 'payload', fileType: 'msg', mode: 'permanent', allowFolders: false, missing: 'error' },
  },
  upload: {
    ...OWN,
    ...{ data: 'payload', dataType: 'msg', filename: 'filename', filenameType: 'msg' },
    ...{ targetName: '', targetNameType: 'str', folder: 'folderId', folderType: 'msg' },
    ...{
      source: 'payload',
      mimeType: '',
      ifExists: 'duplicate',
      createFolders: false,
      keepModifiedTime: true,
    },
    ...{ metadata: '', metadataType: 'str', progress: false, outputs: 1 },
  },
  'create-folder': {
    ...OWN,
    ...{ folder: '', folderType: 'str', targetName: 'payload', targetNameType: 'msg' },
  },
  move: {
    ...OWN,
    ...{ file: 'payload', fileType: 'msg', folder: '', folderType: 'str' },
    ...{ targetName: '', targetNameType: 'str', action: 'move', createFolders: false },
    ifExists: 'duplicate',
  },
  prune: {
    ...OWN,
    ...{ folder: 'payload', folderType: 'msg', match: 'glob', pattern: '*', keepNewest: 0, keepDays: 0 },
    ...{ daily: 0, weekly: 0, monthly: 0, yearly: 0, minimum: 1, dateFrom: 'modifiedTime' },
    ...{ timeZone: '', mode: 'trash', dryRun: true },
  },
  sync: {
    ...OWN,
    ...{ localPath: 'filename', localPathType: 'msg', folder: 'payload', folderType: 'msg' },
    ...{ direction: 'up', include: '', exclude: '', compare: 'time', extra: 'keep', maxRemovals: 50 },
    ...{ symlinks: 'skip', exportFormat: '', createFolders: true, dryRun: false, jitter: 0 },
    ...{ progress: false, outputs: 1 },
  },
  backup: {
    ...OWN,
    ...{ source: 'filename', sourceType: 'msg', folder: '/Backups', folderType: 'str' },
    ...{ targetName: '{name}-{date}-{number}', targetNameType: 'str', exclude: '', compression: 'gzip' },
    ...{ encryption: 'none', recipients: '', createFolders: true, keepNewest: 0, keepDays: 0, daily: 0 },
    ...{
      weekly: 0,
      monthly: 0,
      yearly: 0,
      minimum: 1,
      mode: 'trash',
      jitter: 0,
      progress: false,
      outputs: 1,
    },
  },
  restore: {
    ...OWN,
    ...{ folder: '/Backups', folderType: 'str', which: 'newest', select: 'payload', selectType: 'msg' },
    ...{ pattern: '*', localPath: 'filename', localPathType: 'msg', overwrite: 'error', include: '' },
    ...{ progress: false, outputs: 1 },
  },
  watch: {
    ...OWN,
    ...{ folder: '', folderType: 'str', recursive: false, interval: 60, start: 'now', jitter: 0 },
    events: ['created', 'changed', 'moved', 'trashed', 'removed'],
  },
};

describe('editor defaults', () => {
  for (const [node, expected] of Object.entries(CONTRACT)) {
    it(`${node} has the contract's`, () => {
      const { defaults } = editorDefinition(node);
      const values = Object.fromEntries(Object.keys(expected).map((name) => [name, defaults[name]?.value]));
      // From another realm, so that an array is no Array of this one.
      (JSON.parse(JSON.stringify(values)) as object).should.eql(expected);
    });
  }

  it('every flow node requires an account', () => {
    for (const node of Object.keys(CONTRACT).filter((name) => name !== 'account')) {
      const { defaults, category } = editorDefinition(node);
      should(defaults['account']).have.properties({ type: 'cloud-drive-account', required: true });
      category.should.equal('cloud drive');
    }
  });

  it('backup and restore keep passphrases and private keys as passwords', () => {
    const credentialsOf = (node: string): object =>
      JSON.parse(JSON.stringify(editorDefinition(node).credentials)) as object;
    credentialsOf('backup').should.eql({ passphrase: { type: 'password' } });
    credentialsOf('restore').should.eql({ passphrase: { type: 'password' }, identity: { type: 'password' } });
  });

  it('the account keeps its secrets as passwords', () => {
    // From another realm, so that it is no Object of this one.
    const credentials = JSON.parse(JSON.stringify(editorDefinition('account').credentials)) as object;
    credentials.should.eql({
      clientId: { type: 'text' },
      clientSecret: { type: 'password' },
      refreshToken: { type: 'password' },
      accessToken: { type: 'password' },
      serviceAccountKey: { type: 'password' },
    });
  });
});
