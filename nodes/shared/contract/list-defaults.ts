/** Properties of the nodes that list files. */
import { FILE_FIELDS } from './file-fields';

export const LIST_DEFAULTS = {
  output: 'array' as 'array' | 'each',
  fields: FILE_FIELDS,
  orderBy: '',
  /** 0 = no limit. */
  limit: 0 as number | string,
};

export type ListConfig = typeof LIST_DEFAULTS;
