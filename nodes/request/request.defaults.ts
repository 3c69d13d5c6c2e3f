/** Properties of the drive request node: the table of docs/nodes/request.md. */

export const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
/** Methods whose requests have a body. */
export const METHODS_WITH_BODY = ['POST', 'PATCH', 'PUT'] as const;

export const DEFAULTS = {
  method: 'GET' as (typeof METHODS)[number],
  /** Below `/drive/v3/`. */
  path: 'files',
  pathType: 'str',
  query: '',
  queryType: 'str',
  body: '',
  bodyType: 'str',
  /** Whether to join the lists of all pages. */
  pages: false,
  /** Whether a POST may be repeated after a failure. */
  repeatable: false,
};

export type RequestConfig = typeof DEFAULTS;
