/** Describes the type of a value without its content, which may be large or private. */

/** @returns in Node-RED's notation: `undefined`, `number 5`, `array[3]`, `{topic, payload}` */
export function summarizeValue(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === 'string') return value === '' ? "''" : 'string';
  if (Array.isArray(value)) return `array[${value.length}]`;
  if (Buffer.isBuffer(value)) return `Buffer[${value.length}]`;
  if (value instanceof Date) return 'Date';
  if (typeof value === 'object') {
    const names = Object.keys(value).slice(0, 5).join(', ');
    return `{${names}}`;
  }
  return typeof value === 'number' || typeof value === 'boolean'
    ? `${typeof value} ${String(value)}`
    : typeof value;
}
