/** How errors name a node's properties: by the labels of its dialog, in Node-RED's language. */
import type { NodeAPI } from 'node-red';
import { CATALOGUE, catalogueText, editorText, pageText } from './catalogue';

/** A node, or its dialog. */
export interface NodeProperties {
  /** `cloud-drive-upload` */
  type: string;
  config: object;
  account?: { name?: string | undefined } | undefined;
}

/** The source of a value that stands in a dialog for one that only a message, a context store … contains. */
export const EXAMPLE = 'example';

/** Settings on which the label of another depends. Its key has their value: `which_snapshots`. */
const LABELLED_BY: Readonly<Record<string, string>> = { which: 'from', select: 'which' };

/**
 * @param source where the value comes from; by default, where the property says
 * @returns the label, followed by the source if that is a message, a context store or an example:
 *   `“Save as” (msg.name)`. undefined if the property has no label
 */
export function propertyName(
  RED: NodeAPI,
  { type, config }: NodeProperties,
  property: string,
  source = sourceOf(config, property),
): string | undefined {
  const key = labelKey(property);
  const ownText = (name: string): string | undefined =>
    editorText(RED, CATALOGUE.replace('cloud-drive-account', type), `field.${name}`);
  const label =
    ownText(`${key}_${String(valueOf(config, LABELLED_BY[property]))}`) ??
    ownText(key) ??
    editorText(RED, CATALOGUE, `row.${key}`) ??
    editorText(RED, CATALOGUE, `retention.${key}`);
  return label === undefined ? undefined : quoteLabel(RED, label, shownSource(RED, source));
}

function shownSource(RED: NodeAPI, source: string): string {
  if (source === EXAMPLE) return pageText(RED, 'example');
  return isFromFlow(source) ? source : '';
}

/** The key of a property's label: `target_name` */
export function labelKey(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** @param property in parentheses after the label, `''` for none */
export function quoteLabel(RED: NodeAPI, label: string, property: string): string | undefined {
  return catalogueText(RED, 'page', 'named', { label, property });
}

/** Where a property's value comes from, as the dialog shows it: `msg.payload`, or the type of another input. */
export function sourceOf(config: object, property: string): string {
  const type = valueOf(config, `${property}Type`);
  if (typeof type !== 'string') return property;
  return isFromFlow(`${type}.`) ? `${type}.${String(valueOf(config, property))}` : type;
}

function valueOf(config: object, property = ''): unknown {
  return (config as Readonly<Record<string, unknown>>)[property];
}

function isFromFlow(source: string): boolean {
  return /^(?:msg|flow|global)\./.test(source);
}
