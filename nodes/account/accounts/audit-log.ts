/**
 * Lines in Node-RED's audit log: what an account sends to the drive. They contain no secret, ID or name of a file.
 * https://nodered.org/docs/user-guide/runtime/logging#audit
 */
import type { NodeAPI } from 'node-red';
import type { Observe } from '../../../src/index';

/** @returns undefined if no logger of Node-RED reports audit events, as by default */
export function auditLog(
  RED: NodeAPI,
  account: { id: string; name?: string | undefined },
): Observe | undefined {
  const loggers: Record<string, { audit?: unknown } | undefined> = { ...RED.settings.logging };
  if (!Object.values(loggers).some((logger) => logger?.audit)) return undefined;
  return ({ event, ...detail }) => {
    const name = account.name ? { name: account.name } : {};
    const line = { event: `cloud-drive.${event}`, account: account.id, ...name, ...detail };
    // Node-RED sets the level itself.
    RED.log.audit(line as unknown as Parameters<typeof RED.log.audit>[0]);
  };
}
