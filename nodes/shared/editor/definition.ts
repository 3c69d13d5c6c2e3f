/** What the definitions of all flow nodes have in common: color and labels. */

/** Dark enough for a white icon, light enough for Node-RED's dark label. */
export const COLOR = '#87b3d6';

/** Italics for names given by the user, as in Node-RED's core nodes. */
export function labelStyle(this: { name: string }): string {
  return this.name ? 'node_label_italic' : '';
}

export function paletteLabel(this: { _(key: string): string }): string {
  return this._('label');
}

export function label(this: { name: string; _(key: string): string }): string {
  return this.name || this._('label');
}

/** For nodes whose one input always has the same label. */
export function inputLabels(this: { _(key: string): string }): string {
  return this._('input');
}

/** For nodes whose one output always has the same label. */
export function outputLabels(this: { _(key: string): string }): string {
  return this._('output');
}

const MAX_LABEL_VALUE = 24;
/** Properties that may be paths. */
const PATHS = ['file', 'folder', 'filename'];

/**
 * @returns the value of a typed input for a node's label, shortened; of a path, its last name. `''` if the value is
 * empty, a URL, or comes from the message, the context or the environment
 */
export function labelValue(node: object, property: string): string {
  const {
    [property]: value,
    [`${property}Type`]: type,
    [`${property}Path`]: path,
  } = node as Record<string, unknown>;
  const literal = type === 'drive' ? path : type === 'str' ? value : '';
  const text = typeof literal === 'string' ? literal.trim() : '';
  // The URL of a file contains its ID, not its name.
  if (/^https?:\/\//.test(text)) return '';
  const name = PATHS.includes(property) ? (text.split(/[/\\]/).filter(Boolean).pop() ?? '') : text;
  return name.length > MAX_LABEL_VALUE ? `${name.slice(0, MAX_LABEL_VALUE - 1)}…` : name;
}

/** Selects the account of a new node if there is only one. The editor calls it before it adds the node. */
export function preselectAccount(this: { id: string; account: string; z?: string }): void {
  // It is also called after nodes were imported.
  if (this.account !== '' || RED.nodes.node(this.id)) return;
  const accounts: string[] = [];
  RED.nodes.eachConfig(({ id, type, z, d }) => {
    const isUsable = type === 'cloud-drive-account' && d !== true && (!z || z === this.z);
    if (isUsable) accounts.push(id);
  });
  const [only = '', ...others] = accounts;
  if (others.length === 0) this.account = only;
}
