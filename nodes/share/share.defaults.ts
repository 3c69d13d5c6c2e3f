/** Properties of the share node: the table of docs/nodes/share.md. */

export const ACTIONS = ['share', 'list', 'remove'] as const;
export const GRANTEES = ['anyone', 'user', 'group', 'domain'] as const;
/** https://developers.google.com/workspace/drive/api/guides/ref-roles */
export const ROLES = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer'] as const;

export const DEFAULTS = {
  action: 'share' as (typeof ACTIONS)[number],
  file: 'payload',
  fileType: 'msg',
  filePath: '',
  /** `anyone`: anyone with the link. */
  with: 'anyone' as (typeof GRANTEES)[number],
  role: 'reader' as (typeof ROLES)[number],
  /** E-mail address or domain. */
  to: 'to',
  toType: 'msg',
  /** Whether the service sends an e-mail to the user or group. */
  notify: false,
  message: '',
  /** When the access of a user or group ends: a date, a time, or a duration from now. */
  expires: '',
  /** Whether searches find the file, for anyone and for a domain. */
  discoverable: false,
};

export type ShareConfig = typeof DEFAULTS;
