/** The requests to which faults apply, and those that each operation sends. */
import type { FaultMatch } from '../local-drive';
import type { OperationKind } from './operations';

export const REQUEST_KINDS = {
  any: {},
  about: { path: /\/about$/ },
  list: { method: 'GET', path: /^\/drive\/v3\/files$/ },
  one: { method: 'GET', path: /^\/drive\/v3\/files\/[^/]+$/, query: /^(?!.*alt=media)/ },
  ids: { path: /generateIds$/ },
  create: { method: 'POST', path: /^\/drive\/v3\/files$/ },
  copy: { method: 'POST', path: /\/copy$/ },
  delete: { method: 'DELETE' },
  patch: { method: 'PATCH' },
  /** Not trashing, whose response is ignored. */
  moved: { method: 'PATCH', query: /trashed/ },
  media: { query: /alt=media/ },
  upload: { path: /^\/upload/ },
  multipart: { query: /uploadType=multipart/ },
  start: { query: /uploadType=resumable/ },
  session: { method: 'PUT' },
  token: { path: /\/token$/ },
} satisfies Record<string, FaultMatch>;
export type RequestKind = keyof typeof REQUEST_KINDS;

export const API_REQUESTS: RequestKind[] = [
  'any',
  'about',
  'list',
  'one',
  'ids',
  'create',
  'copy',
  'delete',
  'patch',
  'media',
  'upload',
  'session',
];
export const JSON_RESPONSES: RequestKind[] = [
  'about',
  'list',
  'one',
  'ids',
  'create',
  'copy',
  'moved',
  'multipart',
  'token',
];
export const UPLOAD_REQUESTS: RequestKind[] = ['multipart', 'session'];
export const RESPONSES: RequestKind[] = [...JSON_RESPONSES, 'media', 'media'];

/** The requests of each operation, besides `any` and `token`. */
export const REQUESTS_BY_OPERATION: Readonly<Record<OperationKind, readonly RequestKind[]>> = {
  about: ['about'],
  list: ['list'],
  search: ['list'],
  metadata: ['one'],
  delete: ['delete'],
  trash: ['patch'],
  createFolder: ['list', 'ids', 'create'],
  upload: ['list', 'ids', 'create', 'upload', 'multipart', 'start', 'session', 'patch'],
  download: ['one', 'media'],
  move: ['one', 'list', 'ids', 'create', 'patch', 'moved'],
  copy: ['one', 'list', 'ids', 'create', 'copy', 'patch'],
  restore: ['one', 'list', 'ids', 'create', 'patch', 'moved'],
  prune: ['list', 'one', 'delete', 'patch'],
};
