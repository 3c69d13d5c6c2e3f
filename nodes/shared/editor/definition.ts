/** What all flow nodes of the package have in common in the palette and on the canvas. */

/** The cloud drive nodes' colour: dark enough for a white icon, light enough for Node-RED's dark label. */
export const COLOR = '#87b3d6';

/** A name that a person gave is set in italics, as in Node-RED's own nodes. */
export function labelStyle(this: { name: string }): string {
  return this.name ? 'node_label_italic' : '';
}

export function paletteLabel(this: { _(key: string): string }): string {
  return this._('label');
}

export function label(this: { name: string; _(key: string): string }): string {
  return this.name || this._('label');
}

/** Of nodes with one input, and with one output, whatever their settings. */
export function inputLabels(this: { _(key: string): string }): string {
  return this._('input');
}

export function outputLabels(this: { _(key: string): string }): string {
  return this._('output');
}

/** Characters of a value in a label. */
const LONGEST = 24;

/**
 * What stands in the dialog for a property that can also come from elsewhere, short enough for a label; of a place on the
 * drive its name. `''` for what only a message tells, and for nothing.
 */
export function written(node: object, property: string): string {
  const {
    [property]: value,
    [`${property}Type`]: type,
    [`${property}Path`]: path,
  } = node as Record<string, unknown>;
  const given = type === 'drive' ? path : type === 'str' ? value : '';
  const text = typeof given === 'string' ? given.trim() : '';
  const name = property === 'folder' ? (text.split('/').filter(Boolean).pop() ?? '') : text;
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
}

/**
 * Fills the fields of properties that the node doesn't have: a flow saved by an older version lacks what came later,
 * and what is missing means its default. Before anything else is made of the fields.
 */
export function showDefaults(node: EditorNode, prefix = 'node-input'): void {
  const saved = node as unknown as Record<string, unknown>;
  for (const [property, { value }] of Object.entries(node._def.defaults)) {
    if (saved[property] !== undefined) continue;
    const input = $(`#${prefix}-${property}`);
    if (typeof value === 'boolean') input.prop('checked', value);
    else input.val(String(value));
  }
}
