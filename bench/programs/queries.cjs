'use strict';
/** The queries of the peers, with the default fields of the nodes. */
const FIELDS = 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents,webViewLink';
const fields = `nextPageToken,incompleteSearch,files(${FIELDS})`;

const folders = (folder) => ({
  q: `'${folder}' in parents and mimeType='application/vnd.google-apps.folder'`,
  fields,
});

const files = (folder) => ({ q: `'${folder}' in parents`, fields });

module.exports = { FIELDS, folders, files };
