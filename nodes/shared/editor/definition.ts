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
