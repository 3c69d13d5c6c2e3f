/** Properties of the about node: the table of docs/nodes/about.md. */

export const DEFAULTS = {
  fields: 'user,storageQuota',
};

export type AboutConfig = typeof DEFAULTS;
