import { ApiError, badRequest, invalidValue } from '../http/api-error';
import { ROLES, type PermissionRecord } from '../storage/file-record';
import type { DriveBackend } from './backend';
import { parseTimestamp } from './timestamp';

/** The validated body of permissions.create and permissions.update. */
export type PermissionInput = Partial<Omit<PermissionRecord, 'id'>>;

const TYPES = ['user', 'group', 'domain', 'anyone'] as const;
const YEAR_MS = 366 * 24 * 3600 * 1000;

/** Validates a permission: known values, an address or domain as its type needs, an expiration time within a year. */
export function readPermission(body: Record<string, unknown>, { clock }: DriveBackend): PermissionInput {
  const type = oneOf(body, 'type', TYPES);
  if (body.role === 'owner') {
    const message = "The transferOwnership parameter must be enabled when the permission role is 'owner'.";
    throw new ApiError(403, 'forbidden', message);
  }
  const input: PermissionInput = { type, role: oneOf(body, 'role', ROLES) };
  if (type === 'user' || type === 'group')
    input.emailAddress = requiredText(body, 'emailAddress', /^[^@\s]+@[^@\s]+$/);
  if (type === 'domain') input.domain = requiredText(body, 'domain', /^[^@\s]+\.[^@\s]+$/);
  if (body.allowFileDiscovery !== undefined) {
    if (typeof body.allowFileDiscovery !== 'boolean') throw invalidValue('allowFileDiscovery');
    input.allowFileDiscovery = body.allowFileDiscovery;
  }
  if (body.expirationTime !== undefined) input.expirationTime = expiration(body.expirationTime, clock.now());
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

function oneOf<T extends string>(
  body: Record<string, unknown>,
  name: string,
  values: readonly T[],
): T | undefined {
  const value = values.find((each) => each === body[name]);
  if (body[name] !== undefined && value === undefined)
    throw invalidValue(`permission.${name}`, `The specified ${name} is invalid or not supported.`);
  return value;
}

function requiredText(body: Record<string, unknown>, name: string, pattern: RegExp): string {
  const value = body[name];
  if (value === undefined) throw badRequest(`The ${name} field is required for this permission type.`);
  if (typeof value !== 'string' || !pattern.test(value))
    throw invalidValue(
      `permission.${name}`,
      `The specified ${name} is invalid or not applicable for the given permission type.`,
    );
  return value;
}

function expiration(value: unknown, now: number): number {
  const time = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (time === undefined) throw invalidValue('permission.expirationTime');
  if (time <= now)
    throw new ApiError(403, 'expirationDatesMustBeInTheFuture', 'The expiration date must be in the future.');
  if (time > now + YEAR_MS)
    throw new ApiError(
      403,
      'cannotSetExpiration',
      'The expiration date cannot be more than a year in the future.',
    );
  return time;
}
