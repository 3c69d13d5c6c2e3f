/** Google's quota units of a request. */
import type { RecordedRequest } from '../local-drive';

/** https://developers.google.com/workspace/drive/api/guides/limits#per-method-quota */
export function unitsOf({ method, path, params }: RecordedRequest): number {
  if (method !== 'GET') return 50;
  if (/\/(files|changes)$/.test(path)) return 100;
  return params.get('alt') === 'media' || path.endsWith('/export') ? 200 : 5;
}
