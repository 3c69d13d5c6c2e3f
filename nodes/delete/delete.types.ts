/** Settings of the delete node: the table of docs/nodes/delete.md. */
export interface DeleteConfig {
  file: string;
  fileType: string;
  mode: 'permanent' | 'trash';
  allowFolders: boolean;
  missing: 'error' | 'ignore';
}

/** What became of one file. */
export interface DeleteResult {
  id: string;
  result: 'deleted' | 'trashed' | 'missing' | 'failed';
  error?: { code: string; message: string };
}
