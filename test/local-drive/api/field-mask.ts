import { invalidParameter } from '../http/api-error';

/**
 * Partial responses: `fields=nextPageToken,files(id,owners/emailAddress)`.
 * https://developers.google.com/workspace/drive/api/guides/fields-parameter
 */

/** The fields that a mask may contain: a `value` has no subfields, a `map` has subfields of any name. */
export type Schema = { [name: string]: Schema | 'value' | 'map' };

/** The selected fields: all, or these with their submasks. */
export type Mask = 'all' | Map<string, Mask>;

/** Parses a mask; 400 for a field that the resource doesn't have. */
export function parseMask(text: string, schema: Schema): Mask {
  return new MaskParser(text).read(schema);
}

class MaskParser {
  private position = 0;

  constructor(private readonly text: string) {}

  read(schema: Schema): Mask {
    const mask = this.list(schema);
    if (this.position < this.text.length) this.fail(this.text.slice(this.position));
    return mask;
  }

  private list(schema: Schema | 'value' | 'map'): Mask {
    let mask: Mask = new Map();
    do {
      mask = merge(mask, this.item(schema));
    } while (this.skip(','));
    return mask;
  }

  private item(schema: Schema | 'value' | 'map'): Mask {
    const name = this.name();
    const inner = name === '*' ? schema : fieldSchema(schema, name);
    if (inner === undefined) this.fail(name);
    let mask: Mask = 'all';
    if (this.skip('/')) mask = this.item(inner);
    else if (this.skip('(')) {
      mask = this.list(inner);
      if (!this.skip(')')) this.fail(this.text);
    }
    // `*` within a path, as in `files/*`, selects all fields; masks apply to array items anyway.
    return name === '*' ? mask : new Map([[name, mask]]);
  }

  private name(): string {
    const name = /^\s*(\*|[A-Za-z0-9_$.-]+)\s*/.exec(this.text.slice(this.position));
    if (!name?.[1]) return this.fail(this.text.slice(this.position) || this.text);
    this.position += name[0].length;
    return name[1];
  }

  private skip(character: string): boolean {
    if (this.text[this.position] !== character) return false;
    this.position += 1;
    while (this.text[this.position] === ' ') this.position += 1;
    return true;
  }

  private fail(selection: string): never {
    throw invalidParameter('fields', `Invalid field selection ${selection}`);
  }
}

function fieldSchema(schema: Schema | 'value' | 'map', name: string): Schema | 'value' | 'map' | undefined {
  if (schema === 'map') return 'map';
  if (schema === 'value') return undefined;
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

function merge(one: Mask, other: Mask): Mask {
  if (one === 'all' || other === 'all') return 'all';
  const merged = new Map(one);
  for (const [name, mask] of other) {
    const previous = merged.get(name);
    merged.set(name, previous === undefined ? mask : merge(previous, mask));
  }
  return merged;
}

/** The mask of a field; undefined if the field is not selected. */
export function submask(mask: Mask, name: string): Mask | undefined {
  return mask === 'all' ? 'all' : mask.get(name);
}

/** Selects the fields of a value, and of each item of an array. */
export function applyMask(value: unknown, mask: Mask): unknown {
  if (mask === 'all' || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => applyMask(each, mask));
  const selected: Record<string, unknown> = {};
  for (const [name, inner] of mask) {
    const part = (value as Record<string, unknown>)[name];
    if (part !== undefined) selected[name] = applyMask(part, inner);
  }
  return selected;
}
