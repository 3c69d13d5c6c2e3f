/** Whom to share a file with (anyone with the link, a user, a group or a domain), and how. */
import type { NewPermission, Notification, Permission } from './permissions';

export interface Grantee {
  /** `anyone`: anyone with the link. */
  type: NewPermission['type'];
  /** E-mail address or domain; `''` for anyone. */
  name: string;
}

/** A shortcut stands for its target. */
export interface SharedFileRequest {
  id: string;
  /** Fields of the file. */
  fields: string;
}

export interface UnshareRequest extends SharedFileRequest {
  grantee: Grantee;
}

export interface ShareRequest extends UnshareRequest, Notification {
  role: string;
  /** Whether searches find the file, for anyone and for a domain. */
  discoverable: boolean;
  /** When the access ends, for users and groups. Without it, an existing end stays. */
  expires?: Date | undefined;
}

/** A group may be given as a user, and the other way round. */
export function isFor(permission: Permission, { type, name }: Grantee): boolean {
  if (type === 'anyone') return permission.type === 'anyone';
  const granted = type === 'domain' ? permission.domain : permission.emailAddress;
  return granted?.toLowerCase() === name.toLowerCase();
}

/** @returns the permission to create, without its expiration */
export function toPermission({ grantee, role, discoverable }: ShareRequest): NewPermission {
  const { type, name } = grantee;
  if (type === 'anyone') return { type, role, allowFileDiscovery: discoverable };
  if (type === 'domain') return { type, role, domain: name, allowFileDiscovery: discoverable };
  return { type, role, emailAddress: name };
}
