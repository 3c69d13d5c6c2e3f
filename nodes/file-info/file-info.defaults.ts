/** Properties of the file info node: the table of docs/nodes/file-info.md. */
import { FILE_FIELDS } from '../shared/contract/defaults';

export const DEFAULTS = {
  file: 'payload',
  fileType: 'msg',
  filePath: '',
  /** An object, or its JSON, with the metadata to change; `''` for none. */
  changes: '',
  changesType: 'str',
  fields: FILE_FIELDS,
};

export type FileInfoConfig = typeof DEFAULTS;
