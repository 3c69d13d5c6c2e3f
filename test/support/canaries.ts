import { inspect } from 'node:util';

/** Secrets as they could stand in a token, an address or a body. None may be seen where it has no business. */
export const CANARY = {
  access: 'CANARY-ACCESS-9f27',
  refresh: 'CANARY-REFRESH-51bd',
  secret: 'CANARY-SECRET-c0a3',
  session: 'CANARY-SESSION-77e1',
  device: 'CANARY-DEVICE-3d4f',
  body: 'CANARY-BODY-6b18',
  query: 'CANARY-QUERY-e52c',
} as const;

/** Everything of an error that a log, a debug node or a reporter could show. */
export function visibleText(error: unknown): string {
  const parts = [inspect(error, { depth: 20, showHidden: true, getters: true }), JSON.stringify(error)];
  for (let each = error; each instanceof Error; each = each.cause) {
    parts.push(each.message, each.stack ?? '', String(each), JSON.stringify(Object.entries(each)));
  }
  return parts.join('\n');
}

/** @returns names of the canaries that are in a text */
export function findCanaries(text: string): string[] {
  return Object.entries(CANARY).flatMap(([name, canary]) => (text.includes(canary) ? [name] : []));
}
