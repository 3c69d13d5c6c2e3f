/** A compiled query. https://developers.google.com/workspace/drive/api/guides/ref-search-terms */
import { fileNotFound } from '../http/api-error';
import type { FileRecord } from '../storage/file-record';
import type { FileStore } from '../storage/file-store';
import { effectivePermissions } from '../api/effective-permissions';
import type { DriveBackend } from '../api/backend';
import { granteeId, USER } from '../api/user';
import type { Query, TimeOperator } from './parser';

export type Predicate = (record: FileRecord) => boolean;

/** The files and settings of a search. */
export type SearchScope = Pick<DriveBackend, 'store' | 'nameMatch' | 'clock'>;

/** Compiles a query to a predicate. As in Google Drive, an unknown parent is 404. */
export function compileQuery(query: Query, scope: SearchScope): Predicate {
  switch (query.type) {
    case 'and': {
      const [left, right] = [compileQuery(query.left, scope), compileQuery(query.right, scope)];
      return (record) => left(record) && right(record);
    }
    case 'or': {
      const [left, right] = [compileQuery(query.left, scope), compileQuery(query.right, scope)];
      return (record) => left(record) || right(record);
    }
    case 'not': {
      const inner = compileQuery(query.inner, scope);
      return (record) => !inner(record);
    }
    case 'text':
      return compileText(query, scope.nameMatch);
    case 'time':
      return (record) => COMPARE[query.operator](record[query.field], query.value);
    case 'flag':
      return compileFlag(query, scope.store);
    case 'in':
      return compileMembership(query, scope);
    case 'has':
      return (record) => record[query.map][query.key] === query.value;
  }
}

const COMPARE: Record<TimeOperator, (a: number, b: number) => boolean> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** String comparisons ignore case, `=` included. */
function compileText(query: Query & { type: 'text' }, nameMatch: 'substring' | 'word'): Predicate {
  const { field, operator } = query;
  const value = query.value.toLowerCase();
  if (operator === '=') return (record) => record[field].toLowerCase() === value;
  if (operator === '!=') return (record) => record[field].toLowerCase() !== value;
  if (field === 'name' && nameMatch === 'word') return (record) => hasWordStartingWith(record.name, value);
  return (record) => record[field].toLowerCase().includes(value);
}

/** Google Drive's matching: only at the beginning of a word. */
function hasWordStartingWith(name: string, text: string): boolean {
  const lower = name.toLowerCase();
  for (let at = lower.indexOf(text); at >= 0; at = lower.indexOf(text, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]$/u.test(lower.slice(0, at))) return true;
  }
  return false;
}

function compileFlag({ field, value }: Query & { type: 'flag' }, store: FileStore): Predicate {
  if (field === 'trashed') return (record) => store.isTrashed(record) === value;
  if (field === 'starred') return (record) => record.starred === value;
  return (record) => store.isSharedWithMe(record) === value;
}

function compileMembership({ collection, value }: Query & { type: 'in' }, scope: SearchScope): Predicate {
  if (collection === 'parents') {
    const parent = scope.store.get(value)?.id;
    if (parent === undefined) throw fileNotFound(value);
    return (record) => record.parent === parent;
  }
  const id = granteeId(value === 'me' ? USER.emailAddress : value);
  const roles = ROLES_IN[collection];
  return (record) =>
    effectivePermissions(scope, record).some((each) => each.id === id && roles.includes(each.role));
}

/** The roles that `'address' in owners`, `writers` and `readers` find. */
const ROLES_IN: Record<'owners' | 'writers' | 'readers', readonly string[]> = {
  owners: ['owner'],
  writers: ['owner', 'organizer', 'fileOrganizer', 'writer'],
  readers: ['owner', 'organizer', 'fileOrganizer', 'writer', 'commenter', 'reader'],
};

/** The parent that all matches must have, if the query requires one. */
export function requiredParent(query: Query): string | undefined {
  if (query.type === 'in' && query.collection === 'parents') return query.value;
  return query.type === 'and' ? (requiredParent(query.left) ?? requiredParent(query.right)) : undefined;
}
