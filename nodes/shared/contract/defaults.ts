/** Defaults and choices that several nodes have. */

/** The fields of listed files, unless a node's `fields` says otherwise. */
export const FILE_FIELDS = 'id,name,mimeType,size,createdTime,modifiedTime,md5Checksum,parents,webViewLink';
/** The fields of a file that upload, create-folder and move return. */
export const RESULT_FIELDS = 'id,name,mimeType,size,md5Checksum,parents,webViewLink';
/** The fields that the upload node sets from its own properties, so that its metadata can't contain them. */
export const RESERVED_FIELDS = ['id', 'name', 'parents', 'mimeType'] as const;

/** Properties of the nodes that list files. */
export const LIST_DEFAULTS = {
  output: 'array' as 'array' | 'each',
  fields: FILE_FIELDS,
  orderBy: '',
  /** 0 = no limit. */
  limit: 0 as number | string,
};

export type ListConfig = typeof LIST_DEFAULTS;

/** Properties of the nodes that remove old backups: how many are kept. 0 disables a rule. */
export const RETENTION_DEFAULTS = {
  keepNewest: 0 as number | string,
  keepDays: 0 as number | string,
  daily: 0 as number | string,
  weekly: 0 as number | string,
  monthly: 0 as number | string,
  yearly: 0 as number | string,
  minimum: 1 as number | string,
};

/** What to do if the folder already has a file with the same name. */
export const IF_EXISTS = ['duplicate', 'replace', 'skip', 'rename', 'error'] as const;
export type IfExists = (typeof IF_EXISTS)[number];

/** How names are compared with a text or pattern. */
export const NAME_MATCHES = ['contains', 'anywhere', 'exact', 'glob', 'regex'] as const;
export type NameMatch = (typeof NAME_MATCHES)[number];
