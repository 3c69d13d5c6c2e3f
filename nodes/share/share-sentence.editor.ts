/** Describes in one sentence who gets or loses access: “Anyone with the link can view.” Pure. */

/** The values of the fields. */
export interface ShareFields {
  action: string;
  with: string;
  role: string;
  /** The address, or where it comes from. */
  to: string;
  discoverable: boolean;
  notify: boolean;
  expires: string;
}

/** @param text a text of the node's catalogue, by its key below `sentence` */
export function shareSentence(
  fields: ShareFields,
  text: (key: string, params?: Record<string, string>) => string,
): string {
  const { action, with: grantee, role, to, expires } = fields;
  if (action === 'list') return text('list');
  const isPublic = grantee === 'anyone' || grantee === 'domain';
  if (action === 'remove') return text(grantee === 'anyone' ? 'remove_anyone' : 'remove', { to });
  const who = isPublic && fields.discoverable ? `${grantee}_found` : grantee;
  const sentences = [text(who, { to, can: text(`can_${role}`) })];
  if (!isPublic) {
    sentences.push(text(fields.notify ? 'notify' : 'silent'));
    if (expires.trim() !== '') sentences.push(text('expires', { expires: expires.trim() }));
  }
  return sentences.join(' ');
}
