/**
 * share: shares a file or folder by link or with users, lists who has access, or removes access.
 * https://developers.google.com/workspace/drive/api/guides/manage-sharing
 */
import type { NodeAPI } from 'node-red';
import type { DriveError, Grantee, ShareResult } from '../../src/index';
import { RESULT_FIELDS } from '../shared/contract/defaults';
import { parseTime } from '../shared/contract/parse-time';
import { flowNode } from '../shared/runtime/flow-node';
import type { Inputs } from '../shared/runtime/inputs';
import type { RunContext } from '../shared/runtime/run-context';
import type { Outcome } from '../shared/runtime/status';
import type { StatusTexts } from '../shared/runtime/status-texts';
import { summarizePublicValue, summarizeText } from '../shared/runtime/value-summary';
import { isDomain, isEmailAddress, latestExpiration } from './grantee';
import { ACTIONS, DEFAULTS, GRANTEES, ROLES, type ShareConfig } from './share.defaults';

export default (RED: NodeAPI): void =>
  flowNode<ShareConfig>(RED, {
    type: 'cloud-drive-share',
    bypassCache: ({ action }) => action !== 'list',
    defaults: DEFAULTS,
    async run(context) {
      const { config, inputs, msg, send, results } = context;
      const result = await ACTION[inputs.oneOf('action', ACTIONS)](context);
      const { file, permissions, created, removed } = result;
      msg.payload = file;
      msg['permissions'] = permissions;
      msg['created'] = created;
      msg['removed'] = removed;
      msg['shared'] = isShared(permissions);
      send(msg);
      if (config.action === 'list') return {};
      if (config.action === 'share') return { text: results.file(file, 'shared') };
      return removalOutcome(results, result);
    },
  });

/** Whether anybody but the owner has access. */
function isShared(permissions: ShareResult['permissions']): boolean {
  return permissions.some(({ role }) => role !== 'owner');
}

/** The one whose access was removed may still open the file by link. */
function removalOutcome(results: StatusTexts, { file, permissions, removed }: ShareResult): Outcome {
  const hasLink = permissions.some(({ type }) => type === 'anyone');
  if (!isShared(permissions)) return { text: results.file(file, removed ? 'unshared' : 'not_shared_with') };
  const what = removed ? 'access_removed' : 'not_shared_with';
  return { text: results.file(file, what, hasLink ? 'open_by_link' : 'still_shared'), isPartial: hasLink };
}

type Action = (context: RunContext<ShareConfig>) => Promise<ShareResult>;

const ACTION: Readonly<Record<(typeof ACTIONS)[number], Action>> = {
  async share({ client, inputs, call }) {
    const source = await readFile(inputs);
    const grantee = await readGrantee(inputs);
    const request = {
      grantee,
      role: readRole(inputs, grantee),
      expires: readExpiration({ client, inputs }, grantee),
      notify: inputs.flag('notify'),
      message: inputs.asText('message', inputs.setting('message')),
      discoverable: inputs.flag('discoverable'),
      fields: RESULT_FIELDS,
    };
    return client.share({ ...request, id: await inputs.resolveId(source, 'file') }, call);
  },

  async remove({ client, inputs, call }) {
    const source = await readFile(inputs);
    const grantee = await readGrantee(inputs);
    const id = await inputs.resolveId(source, 'file');
    return client.unshare({ id, grantee, fields: RESULT_FIELDS }, call);
  },

  async list({ client, inputs, call }) {
    return client.listSharing({ id: await inputs.file('file'), fields: RESULT_FIELDS }, call);
  },
};

async function readFile(inputs: Inputs): Promise<string> {
  return inputs.idOrPath('file', 'file', await inputs.value('file'));
}

async function readGrantee(inputs: Inputs): Promise<Grantee> {
  const type = inputs.oneOf('with', GRANTEES);
  if (type === 'anyone') return { type, name: '' };
  const value = await inputs.value('to');
  const name = typeof value === 'string' ? value.trim() : '';
  const isValid = type === 'domain' ? isDomain(name) : isEmailAddress(name);
  if (isValid) return { type, name };
  const text = type === 'domain' ? 'invalid_input_domain' : 'invalid_input_email';
  throw inputs.invalid(text, 'to', value, { came: summarizeText(value) });
}

function isPublic({ type }: Grantee): boolean {
  return type === 'anyone' || type === 'domain';
}

function readRole(inputs: Inputs, grantee: Grantee): string {
  const role = inputs.oneOf('role', ROLES);
  if (!isPublic(grantee) || ['reader', 'commenter', 'writer'].includes(role)) return role;
  throw inputs.invalid('invalid_input_share_role_public', 'role', role, { role });
}

type ExpirationProblem = `invalid_input_expires${'' | '_public' | '_past' | '_year'}`;

function readExpiration(
  { client, inputs }: Pick<RunContext<ShareConfig>, 'client' | 'inputs'>,
  grantee: Grantee,
): Date | undefined {
  const text = inputs.settingText('expires');
  if (text === '') return undefined;
  const invalid = (problem: ExpirationProblem): DriveError =>
    inputs.invalid(problem, 'expires', text, { came: summarizePublicValue(text) });
  if (isPublic(grantee)) throw invalid('invalid_input_expires_public');
  const now = Date.now();
  const time = parseTime(text, now, 'after');
  if (time === undefined) throw invalid('invalid_input_expires');
  if (time <= now) throw invalid('invalid_input_expires_past');
  // Google Drive explains it as missing permissions.
  if (client.service.can.limitedExpiration && time > latestExpiration(now))
    throw invalid('invalid_input_expires_year');
  return new Date(time);
}
