/** Properties of the about node: the table of docs/nodes/about.md. */

export interface AboutConfig {
  fields: string;
}

export const DEFAULTS: AboutConfig = { fields: 'user,storageQuota' };
