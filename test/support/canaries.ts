import { inspect } from 'node:util';

/** Fake secrets for tokens, URLs and bodies, which must not leak. */
export const CANARY = {
  access: 'CANARY-ACCESS-9f27',
  refresh: 'CANARY-REFRESH-51bd',
  secret: 'CANARY-SECRET-c0a3',
  session: 'CANARY-SESSION-77e1',
  device: 'CANARY-DEVICE-3d4f',
  body: 'CANARY-BODY-6b18',
  query: 'CANARY-QUERY-e52c',
} as const;

/** All text of an error that a log, debug node or reporter could show. */
export function visibleText(error: unknown): string {
  const parts = [inspect(error, { depth: 20, showHidden: true, getters: true }), JSON.stringify(error)];
  for (let each = error; each instanceof Error; each = each.cause) {
    parts.push(each.message, each.stack ?? '', String(each), JSON.stringify(Object.entries(each)));
  }
  return parts.join('\n');
}

/** @returns the names of the canaries in a text */
export function findCanaries(text: string): string[] {
  return Object.entries(CANARY).flatMap(([name, canary]) => (text.includes(canary) ? [name] : []));
}
