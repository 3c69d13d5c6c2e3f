/**
 * The metadata that can be changed, with its types.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
import { isObject } from '../shared/contract/values';

type Kind = 'string' | 'boolean' | 'time' | 'object' | 'properties' | 'array';

const CHANGEABLE = new Map<string, Kind>([
  ['name', 'string'],
  ['description', 'string'],
  ['starred', 'boolean'],
  ['modifiedTime', 'time'],
  ['viewedByMeTime', 'time'],
  ['folderColorRgb', 'string'],
  ['properties', 'properties'],
  ['appProperties', 'properties'],
  ['originalFilename', 'string'],
  ['writersCanShare', 'boolean'],
  ['copyRequiresWriterPermission', 'boolean'],
  ['contentHints', 'object'],
  ['contentRestrictions', 'array'],
  ['downloadRestrictions', 'object'],
  ['inheritedPermissionsDisabled', 'boolean'],
]);

/** Their names, for messages. */
export const CHANGEABLE_NAMES = [...CHANGEABLE.keys()].join(', ');

/** The member that can't be changed, or that must have another type. */
export type ChangesProblem = { member: string; type?: string };

/** @returns the first problem. Null clears a value */
export function changesProblem(changes: Readonly<Record<string, unknown>>): ChangesProblem | undefined {
  for (const [member, value] of Object.entries(changes)) {
    const kind = CHANGEABLE.get(member);
    if (kind === undefined) return { member };
    if (value !== null && !isKind(value, kind)) return { member, type: TYPE_NAMES[kind] };
  }
  return undefined;
}

const TYPE_NAMES: Readonly<Record<Kind, string>> = {
  string: 'string',
  boolean: 'boolean',
  time: '2026-11-22T02:30:00Z',
  object: 'object',
  properties: '{"key": "value"}',
  array: 'array',
};

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

function isKind(value: unknown, kind: Kind): boolean {
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'object') return isObject(value);
  if (kind === 'properties') return isObject(value) && Object.values(value).every(isStringOrNull);
  if (kind !== 'time') return typeof value === kind;
  // A Date, also one of a function node, is sent as such a time.
  const text: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  return typeof text === 'string' && TIME.test(text) && !Number.isNaN(Date.parse(text));
}

function isStringOrNull(value: unknown): boolean {
  return typeof value === 'string' || value === null;
}
