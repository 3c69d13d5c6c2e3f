/** Properties of the nodes that list files. */

/** The fields of each file, unless a node's `fields` says otherwise. */
export const FILE_FIELDS = 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents';

export interface ListConfig {
  output: 'array' | 'each';
  fields: string;
  orderBy: string;
  /** 0 = no limit. */
  limit: number | string;
}

export const LIST_DEFAULTS: ListConfig = { output: 'array', fields: FILE_FIELDS, orderBy: '', limit: 0 };
